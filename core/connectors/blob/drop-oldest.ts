/** Keeps at most so many entries: what was set first is dropped. */
export function dropOldest(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
