/** `#1, 2，3` → [1, 2, 3]; `null` when something in it is not the number of a task. */
export function parseNumbers(text: string): number[] | null {
  const parts = text.split(/[\s,，、;]+/).filter((part) => part !== '');
  if (parts.some((part) => !/^#?[1-9]\d{0,9}$/.test(part))) return null;
  return parts.map((part) => Number(part.replace('#', '')));
}
