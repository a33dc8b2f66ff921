/** A month in UTC: its name (`2026-03`), its first day, and the first day of the next month. */
export type Month = { name: string; first: string; next: string };

/** The month of a time in milliseconds. */
export function monthOf(time: number): Month {
  const first = new Date(time);
  first.setUTCDate(1);
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));
  const day = (date: Date) => date.toISOString().slice(0, 10);
  return { name: day(first).slice(0, 7), first: day(first), next: day(next) };
}
