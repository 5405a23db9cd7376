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
  const found: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    // A space belongs to the word before it, or every change would be cut up by the spaces that stayed.
    if (/^ +$/.test(segment) && found.length > 0) found[found.length - 1] += segment;
    else found.push(segment);
  }
  return found;
}

/** Texts that share less than this are shown one after the other. */
const SHARED_MIN = 0.3;

export function wordDiff(before: string, after: string, locale: string): Piece[] {
  const pieces = diffArrays(wordsOf(before, locale), wordsOf(after, locale)).map((part): Piece => ({
    text: part.value.join(''),
    kind: part.added ? 'in' : part.removed ? 'out' : 'same',
  }));
  const shared = pieces.reduce((sum, piece) => sum + (piece.kind === 'same' ? piece.text.length : 0), 0);
  if (before === '' || after === '' || shared >= SHARED_MIN * Math.max(before.length, after.length)) return pieces;
  return [{ text: before, kind: 'out' }, { text: '\n', kind: 'same' }, { text: after, kind: 'in' }];
}
