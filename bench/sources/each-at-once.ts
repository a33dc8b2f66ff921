/** What was read. `bytes`: of content. */
export type Read = { assets: number; bytes: number };

/** As many reads as a process of the service makes at once by default. */
const AT_ONCE = 4;

export async function eachAtOnce<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next++; at < all.length; at = next++) await act(all[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
