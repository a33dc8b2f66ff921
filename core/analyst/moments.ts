import type { Token } from './tokens.ts';

/** `from` is included, `to` is not; milliseconds. */
export type Span = { from: number; to: number };
/**
 * `lasting`: it says how long something has been so, such as `for two weeks`, which is the time since `from`. `age`: it
 * says how old a thing is, such as `older than a year`, and not when something was done to it.
 */
export type Window = Partial<Span> & { lasting?: true; age?: true };

/** Something read from the tokens at a place, and how many it took. */
export type Read<T> = { value: T; length: number };

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const SMALL_NUMBERS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const FACTORS = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
]);
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const UNITS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
type Unit = (typeof UNITS)[number];
const DAY_MS = 86_400_000;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2100;
/** No window reaches further back. */
const MAX_UNITS = 10_000;

const textAt = (tokens: readonly Token[], at: number): string => tokens[at]?.text ?? '';

/** A number in digits or in words: `12`, `twelve`, `two hundred`, `5 million`, `hundred`. */
export function numberAt(tokens: readonly Token[], at: number): Read<number> | null {
  const first = plainAt(tokens, at);
  const { value, length } = first ?? { value: 1, length: 0 };
  const factor = FACTORS.get(textAt(tokens, at + length));
  return factor === undefined ? first : { value: value * factor, length: length + 1 };
}

function plainAt(tokens: readonly Token[], at: number): Read<number> | null {
  const token = tokens[at];
  if (token?.kind === 'number' && Number.isFinite(Number(token.text)))
    return { value: Number(token.text), length: 1 };
  const word = token?.text ?? '';
  const value = SMALL_NUMBERS.includes(word) ? SMALL_NUMBERS.indexOf(word) : (TENS.indexOf(word) + 2) * 10;
  return value === 10 && word !== 'ten' ? null : { value, length: 1 };
}

const unitAt = (tokens: readonly Token[], at: number): Unit | null =>
  UNITS.find((unit) => [unit, `${unit}s`].includes(textAt(tokens, at))) ?? null;

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/** The start of the unit that holds `at`. Weeks begin on Monday. UTC. */
function startOf(unit: Unit, at: number): number {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === 'hour') return Math.floor(at / 3_600_000) * 3_600_000;
  if (unit === 'day') return startOfDay(at);
  if (unit === 'week') return startOfDay(at) - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  if (unit === 'month') return Date.UTC(year, month, 1);
  if (unit === 'quarter') return Date.UTC(year, month - (month % 3), 1);
  return Date.UTC(year, 0, 1);
}

/** `at` moved by some units. The last day of a shorter month stands for a day that it does not have. */
function moved(at: number, unit: Unit, by: number): number {
  if (unit === 'hour') return at + by * 3_600_000;
  if (unit === 'day' || unit === 'week') return at + by * DAY_MS * (unit === 'week' ? 7 : 1);
  const months = by * (unit === 'month' ? 1 : unit === 'quarter' ? 3 : 12);
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (at - startOfDay(at));
}

/** So many units before `now`: at the start of that day, or exactly for hours. */
export const unitsAgo = (now: number, unit: Unit, count: number): number =>
  moved(unit === 'hour' ? now : startOfDay(now), unit, -count);

const spanOf = (unit: Unit, from: number): Span => ({ from, to: moved(from, unit, 1) });
const isYear = (value: number): boolean =>
  Number.isInteger(value) && value >= FIRST_YEAR && value <= LAST_YEAR;

/** `two years`, `a week`: so many units. */
export function durationAt(tokens: readonly Token[], at: number): Read<{ count: number; unit: Unit }> | null {
  const article = ['a', 'an', 'one'].includes(textAt(tokens, at));
  const count = article ? { value: 1, length: 1 } : numberAt(tokens, at);
  const unit = count && unitAt(tokens, at + count.length);
  if (count === null || unit === null || count.value > MAX_UNITS || !Number.isInteger(count.value))
    return null;
  return { value: { count: count.value, unit }, length: count.length + 1 };
}

/**
 * A day, month, quarter, year, weekday or relative unit that begins at a token. A month without a year is the last one
 * that has begun. `bare`: it needs no preposition to be a time.
 */
export function momentAt(
  tokens: readonly Token[],
  at: number,
  now: number,
): (Read<Span> & { bare: boolean }) | null {
  if (textAt(tokens, at) === 'the') {
    const after = momentAt(tokens, at + 1, now);
    return after && { ...after, length: after.length + 1 };
  }
  if (['beginning', 'start'].includes(textAt(tokens, at)) && textAt(tokens, at + 1) === 'of') {
    const of = momentAt(tokens, at + 2, now) ?? currentAt(tokens, at + 2, now);
    return (
      of && {
        value: { from: of.value.from, to: moved(of.value.from, 'day', 1) },
        length: of.length + 2,
        bare: false,
      }
    );
  }
  return quarterAt(tokens, at, now) ?? relativeAt(tokens, at, now) ?? calendarAt(tokens, at, now);
}

/** `Q1 2025`, `first quarter of this year`. Without a year: the last one that has begun. */
function quarterAt(tokens: readonly Token[], at: number, now: number) {
  const short = /^q([1-4])$/.exec(textAt(tokens, at));
  const nth = short === null ? ORDINALS.indexOf(textAt(tokens, at)) + 1 : Number(short[1]);
  if (nth === 0 || (short === null && textAt(tokens, at + 1) !== 'quarter')) return null;
  const used = short === null ? 2 : 1;
  const quarterOf = (year: number): Span => ({
    from: Date.UTC(year, (nth - 1) * 3, 1),
    to: Date.UTC(year, nth * 3, 1),
  });
  const bare = false;
  if (!['of', 'in'].includes(textAt(tokens, at + used)))
    return { ...inYear(tokens, at + used, now, quarterOf, used), bare };
  const of = momentAt(tokens, at + used + 1, now);
  const isYear = of !== null && of.value.to === moved(of.value.from, 'year', 1);
  return isYear
    ? { value: quarterOf(new Date(of.value.from).getUTCFullYear()), length: used + 1 + of.length, bare }
    : null;
}

/** `the year`: this one. */
function currentAt(tokens: readonly Token[], at: number, now: number): Read<Span> | null {
  const article = textAt(tokens, at) === 'the' ? 1 : 0;
  const unit = unitAt(tokens, at + article);
  return unit && { value: spanOf(unit, startOf(unit, now)), length: article + 1 };
}

function relativeAt(tokens: readonly Token[], at: number, now: number) {
  const word = textAt(tokens, at);
  const bare = true;
  const day = ['today', 'yesterday'].indexOf(word);
  if (day >= 0) return { value: spanOf('day', moved(startOfDay(now), 'day', -day)), length: 1, bare };
  const unit = unitAt(tokens, at + 1);
  const isLast = ['last', 'previous'].includes(word);
  // `last week of March` is another.
  if (unit !== null && textAt(tokens, at + 2) === 'of') return null;
  if (unit !== null && isLast)
    return { value: spanOf(unit, moved(startOf(unit, now), unit, -1)), length: 2, bare };
  if (unit !== null && ['this', 'current'].includes(word))
    return { value: spanOf(unit, startOf(unit, now)), length: 2, bare };
  const weekday = WEEKDAYS.indexOf(textAt(tokens, isLast ? at + 1 : at));
  if (weekday >= 0) {
    const back = (new Date(now).getUTCDay() - weekday + 6) % 7;
    return { value: spanOf('day', moved(startOfDay(now), 'day', -back - 1)), length: isLast ? 2 : 1, bare };
  }
  const duration = durationAt(tokens, at);
  if (duration !== null && textAt(tokens, at + duration.length) === 'ago') {
    const from = unitsAgo(now, duration.value.unit, duration.value.count);
    return { value: spanOf('day', startOfDay(from)), length: duration.length + 1, bare };
  }
  return null;
}

function calendarAt(tokens: readonly Token[], at: number, now: number) {
  const bare = false;
  const token = tokens[at];
  if (token?.kind === 'date') {
    const from = Date.parse(`${token.text}T00:00:00Z`);
    const isReal = Number.isFinite(from) && new Date(from).toISOString().startsWith(token.text);
    return isReal ? { value: spanOf('day', from), length: 1, bare } : null;
  }
  const year = numberIn(tokens, at, isYear);
  if (year !== null) return { value: spanOf('year', Date.UTC(year, 0, 1)), length: 1, bare };
  const dayBefore = numberIn(tokens, at, isDay);
  const monthAt = dayBefore === null ? at : textAt(tokens, at + 1) === 'of' ? at + 2 : at + 1;
  const month = monthOf(textAt(tokens, monthAt));
  if (month < 0) return null;
  const dayAfter = dayBefore === null ? dayOfMonth(tokens, monthAt + 1) : null;
  const day = dayBefore ?? dayAfter;
  const used = monthAt - at + 1 + (dayAfter === null ? 0 : 1);
  if (day === null)
    return { ...inYear(tokens, at + used, now, (of) => spanOf('month', Date.UTC(of, month, 1)), used), bare };
  return { ...inYear(tokens, at + used, now, (of) => spanOf('day', Date.UTC(of, month, day)), used), bare };
}

const isDay = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 31;
const monthOf = (word: string): number =>
  MONTHS.findIndex(
    (month) => month === word || (word.length >= 3 && word.length <= 4 && month.startsWith(word)),
  );

function numberIn(tokens: readonly Token[], at: number, isFit: (value: number) => boolean): number | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const digits =
    token.kind === 'number' ? token.text : (/^(\d{1,2})(?:st|nd|rd|th)$/.exec(token.text)?.[1] ?? '');
  return digits !== '' && isFit(Number(digits)) ? Number(digits) : null;
}

/** `May 5` names a day; `May 5 files` would too, so a number after a month is always its day. */
const dayOfMonth = (tokens: readonly Token[], at: number): number | null => numberIn(tokens, at, isDay);

/** With the year that follows, or else the last year in which the span has begun. */
function inYear(
  tokens: readonly Token[],
  at: number,
  now: number,
  of: (year: number) => Span,
  used: number,
): Read<Span> {
  const isComma = textAt(tokens, at) === ',';
  const year = numberIn(tokens, at + (isComma ? 1 : 0), isYear);
  if (year !== null) return { value: of(year), length: used + (isComma ? 2 : 1) };
  const current = of(new Date(now).getUTCFullYear());
  return { value: current.from <= now ? current : of(new Date(now).getUTCFullYear() - 1), length: used };
}
