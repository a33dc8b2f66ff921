const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Dates further away than this are written as dates. */
const NEAR_SECONDS = 14 * 86_400;

/** A format takes long to make, so each is made once. */
let relativeFormat: Intl.RelativeTimeFormat | undefined;
let dateFormat: Intl.DateTimeFormat | undefined;

/** A time: relative when near, and a date by the locale otherwise. */
export function Time({ at, now = Date.now() }: { at: string; now?: number }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {inWords(date, now)}
    </time>
  );
}

function inWords(date: Date, now: number): string {
  const seconds = Math.round((date.getTime() - now) / 1000);
  if (Math.abs(seconds) > NEAR_SECONDS) {
    dateFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
    return dateFormat.format(date);
  }
  relativeFormat ??= new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relativeFormat.format(Math.round(seconds / size), unit);
  }
  return 'just now';
}
