/** Thrown for a text that is no expression, or that never occurs. */
export class NcrontabInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NcrontabInvalid';
  }
}

type Field = {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
};

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const FIELDS = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'weekday', min: 0, max: 6, names: WEEKDAYS },
] as const satisfies readonly Field[];

/** Ascending allowed values of each field; `text` is the expression as written. */
export type CronSchedule = {
  readonly kind: 'cron';
  readonly text: string;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
};

const DAY_MS = 86_400_000;
/** The calendar of days, dates and weekdays repeats after 400 years; 29 February on one weekday takes 40 at most. */
const SEARCH_DAYS = 41 * 366;

function parseValue(text: string, field: Field): number {
  const named =
    field.names?.findIndex((name) => text.length >= 3 && name.startsWith(text.toLowerCase())) ?? -1;
  const value = named >= 0 ? named + field.min : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.min && value <= field.max)) {
    throw new NcrontabInvalid(`"${text}" is not a ${field.name} between ${field.min} and ${field.max}.`);
  }
  return value;
}

/** One item of a list: `*`, `n`, `a-b`, each with an optional `/step`; `n/step` runs to the end of the field. */
function parseItem(text: string, field: Field): number[] {
  const [range = '', stepText, ...extra] = text.split('/');
  const step = stepText === undefined ? 1 : /^[1-9]\d{0,3}$/.test(stepText) ? Number(stepText) : 0;
  const [first = '', last, ...rest] = range.split('-');
  if (step === 0 || extra.length > 0 || rest.length > 0) {
    throw new NcrontabInvalid(`"${text}" is not a ${field.name} expression.`);
  }
  let from: number = field.min;
  let to: number = field.max;
  if (range !== '*') {
    from = parseValue(first, field);
    if (last !== undefined) to = parseValue(last, field);
    else if (stepText === undefined) to = from;
  }
  // A descending range is read as the same range ascending, as NCrontab does.
  const [low, high] = from <= to ? [from, to] : [to, from];
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
}

function parseField(text: string, field: Field): number[] {
  const values = text.split(',').flatMap((item) => parseItem(item, field));
  return [...new Set(values)].sort((a, b) => a - b);
}

/**
 * Parses an NCRONTAB expression of six fields: second minute hour day month weekday, in UTC. Throws an Error that says
 * what is wrong, also for an expression that never occurs.
 */
export function parseNcrontab(text: string): CronSchedule {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 6) throw new NcrontabInvalid(`"${text}" is no NCRONTAB expression of six fields.`);
  const [seconds = [], minutes = [], hours = [], days = [], months = [], weekdays = []] = FIELDS.map(
    (field, index) => parseField(parts[index] ?? '', field),
  );
  const schedule: CronSchedule = {
    kind: 'cron',
    text,
    seconds,
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays),
  };
  if (nextTime(schedule, 0) === undefined) throw new NcrontabInvalid(`"${text}" never occurs.`);
  return schedule;
}

/**
 * Parses an expression of five fields: minute hour day month weekday. It is the same language, and a day must satisfy both
 * its date and its weekday here too. Throws `NcrontabInvalid`.
 */
export function parseFiveFields(text: string): CronSchedule {
  if (text.trim().split(/\s+/).length !== 5)
    throw new NcrontabInvalid(`"${text}" has not the five fields minute, hour, day, month and weekday.`);
  return { ...parseNcrontab(`0 ${text}`), text };
}

/** The first time of day in `schedule` at or after `from`, both as seconds since midnight. */
function timeOfDay({ hours, minutes, seconds }: CronSchedule, from: number): number | undefined {
  for (const hour of hours) {
    if (hour * 3600 + 3599 < from) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      if (start + 59 < from) continue;
      const second = seconds.find((candidate) => start + candidate >= from);
      if (second !== undefined) return start + second;
    }
  }
  return undefined;
}

/**
 * The first occurrence strictly after `after`, in UTC. Both are milliseconds since the epoch. As in NCrontab, a day
 * must satisfy both its date and its weekday. @returns undefined when the schedule never occurs again.
 */
export function nextTime(schedule: CronSchedule, after: number): number | undefined {
  const start = Math.floor(after / 1000) * 1000 + 1000;
  let midnight = Math.floor(start / DAY_MS) * DAY_MS;
  let from = (start - midnight) / 1000;
  for (let day = 0; day < SEARCH_DAYS; day += 1, midnight += DAY_MS, from = 0) {
    const date = new Date(midnight);
    if (!schedule.months.has(date.getUTCMonth() + 1)) continue;
    if (!schedule.days.has(date.getUTCDate()) || !schedule.weekdays.has(date.getUTCDay())) continue;
    const seconds = timeOfDay(schedule, from);
    if (seconds !== undefined) return midnight + seconds * 1000;
  }
  return undefined;
}
