const MINUTE_MS = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks of a zone show, as the milliseconds at which clocks in UTC show it. Read from written text. */
function shown(zone: string, at: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
}

/** The clocks have passed from after `before` to `latest` in this minute. Equal if they showed nothing new. */
export type WalkedMinute = { at: number; before: number; latest: number };

/**
 * Walks from minute to minute, and says what is the latest that the clocks have shown. Clocks that are set back show nothing
 * new for a while; clocks that are set forward pass many minutes at once.
 */
export function* walkMinutes(zone: string, from: number, until: number): Generator<WalkedMinute> {
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from - 50 * 60 * MINUTE_MS; at < until; at += MINUTE_MS) {
    const before = latest;
    latest = Math.max(latest, shown(zone, at));
    if (at >= from) yield { at, before, latest };
  }
}

/** Zones and moments near which their clocks change, or nothing happens. */
export const CHANGES: readonly { zone: string; near: string }[] = [
  { zone: 'Europe/Berlin', near: '2026-03-29T01:00Z' },
  { zone: 'Europe/Berlin', near: '2026-10-25T01:00Z' },
  { zone: 'America/New_York', near: '2027-03-14T07:00Z' },
  { zone: 'America/New_York', near: '2027-11-07T06:00Z' },
  { zone: 'America/Sao_Paulo', near: '2018-11-04T03:00Z' },
  { zone: 'America/St_Johns', near: '2006-10-29T02:31Z' },
  { zone: 'Australia/Lord_Howe', near: '2026-10-03T15:30Z' },
  { zone: 'Australia/Lord_Howe', near: '2026-04-04T15:00Z' },
  { zone: 'Africa/Casablanca', near: '2026-02-15T02:00Z' },
  { zone: 'Antarctica/Troll', near: '2026-03-29T01:00Z' },
  { zone: 'Antarctica/Troll', near: '2026-10-25T01:00Z' },
  { zone: 'Asia/Tehran', near: '2022-03-21T20:30Z' },
  { zone: 'Pacific/Apia', near: '2011-12-30T10:00Z' },
  { zone: 'Asia/Kathmandu', near: '2026-07-01T00:00Z' },
  { zone: 'UTC', near: '2026-12-31T23:00Z' },
];
