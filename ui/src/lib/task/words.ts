// The difference of two texts, word by word; Chinese, which has no spaces, in words too.
import { diffArrays } from 'diff';

export interface Piece {
  text: string;
  kind: 'same' | 'out' | 'in';
}

const segmenters = new Map<string, Intl.Segmenter>();
function wordsOf(text: string, locale: string): string[] {
  let segmenter = segmenters.get(locale);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
    segmenters.set(locale, segmenter);
  }
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function wordDiff(before: string, after: string, locale: string): Piece[] {
  return diffArrays(wordsOf(before, locale), wordsOf(after, locale)).map((part) => ({
    text: part.value.join(''),
    kind: part.added ? 'in' : part.removed ? 'out' : 'same',
  }));
}
