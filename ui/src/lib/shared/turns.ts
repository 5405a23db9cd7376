/** Runs `job` for each item, only so many at once; the results in the order of the items. */
export async function inTurns<T, R>(items: readonly T[], atOnce: number, job: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next; at < items.length; at = next) {
      next += 1;
      results[at] = await job(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
