// What the palette finds: tasks by number or by words of the subject, commands by their words.

/** Every word of the question is in the text; earlier and whole words weigh more. 0: not found. */
export function score(text: string, question: string): number {
  const lower = text.toLocaleLowerCase();
  let sum = 1;
  for (const word of question.toLocaleLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    sum += 1 / (1 + at) + (at === 0 || /\W/.test(lower[at - 1] ?? ' ') ? 1 : 0);
  }
  return sum;
}

export function best<T>(items: Iterable<T>, question: string, text: (item: T) => string, max: number): T[] {
  const found: { item: T; points: number }[] = [];
  for (const item of items) {
    const points = score(text(item), question);
    if (points > 0) found.push({ item, points });
  }
  return found.sort((a, b) => b.points - a.points).slice(0, max).map(({ item }) => item);
}

export const numberIn = (question: string): number | null => {
  const match = /^#?([1-9]\d{0,9})$/.exec(question.trim());
  return match ? Number(match[1]) : null;
};
