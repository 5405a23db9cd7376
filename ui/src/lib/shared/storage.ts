// A browser may refuse its storage; then choices last as long as the page.
const memory = new Map<string, string>();
const name = (key: string) => `tallyboard.${key}`;

export function read(key: string): string | null {
  try {
    return localStorage.getItem(name(key)) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

export function write(key: string, value: string | null): void {
  if (value === null) memory.delete(key);
  else memory.set(key, value);
  try {
    if (value === null) localStorage.removeItem(name(key));
    else localStorage.setItem(name(key), value);
  } catch {
    // Kept in memory.
  }
}
