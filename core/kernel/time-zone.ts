const DAY_MS = 86_400_000;
/** More than there are names of zones. Offsets such as `+01:00` are zones too. */
const MAX_FORMATS = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether it is the name of a time zone (`Europe/Berlin`), or an offset (`+01:00`). */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

/**
 * What the clocks of a zone show at an instant, as the milliseconds since the epoch at which clocks in UTC show the same.
 * Throws a RangeError for a name that is no zone.
 */
export function wallTime(zone: string, at: number): number {
  const second = Math.floor(at / 1_000) * 1_000;
  const fields: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(second)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) + (at - second);
}

/**
 * The first instant at which the clocks of a zone show a wall time or a later one. A time that they show twice, when they
 * are set back, is the first of both. A time that they never show, when they are set forward, is the moment of the change.
 * So a later wall time is never an earlier instant.
 * @param wall as `wallTime` returns it
 */
export function instantOf(zone: string, wall: number): number {
  const offsetAt = (at: number) => wallTime(zone, at) - at;
  const before = offsetAt(wall - DAY_MS);
  const after = offsetAt(wall + DAY_MS);
  for (const offset of [before, after]) if (wallTime(zone, wall - offset) === wall) return wall - offset;
  // Skipped: at `early` the clocks have not been set forward, at `late` they have.
  let early = wall - Math.max(before, after);
  let late = wall - Math.min(before, after);
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (wallTime(zone, middle) >= wall) late = middle;
    else early = middle;
  }
  return late;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}
