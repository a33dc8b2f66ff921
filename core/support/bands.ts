/** Bands from low to high, each with its least value. */
type Bands = readonly [
  first: readonly [least: number, band: string],
  ...others: (readonly [least: number, band: string])[],
];

/** The band that a value is in. A value below all bands is in the first. */
export const bandOf = <const B extends Bands>(bands: B, value: number): B[number][1] =>
  (bands.findLast(([least]) => value >= least) ?? bands[0])[1];

/** The words of bands, as a list for a schema. */
export const wordsOf = <const B extends Bands>(bands: B): B[number][1][] => bands.map(([, band]) => band);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of how many there are. */
export const COUNTS = [
  [0, '0'],
  [1, '1_to_9'],
  [10, '10_to_99'],
  [100, '100_to_999'],
  [1_000, '1000_or_more'],
] as const;

/** Of how long ago something was, in milliseconds. */
export const AGES = [
  [0, 'under_1_hour'],
  [HOUR_MS, 'under_1_day'],
  [DAY_MS, 'under_7_days'],
  [7 * DAY_MS, 'under_30_days'],
  [30 * DAY_MS, '30_days_or_more'],
] as const;

/** Of the time until an end, in milliseconds. */
export const REMAINING = [
  [Number.NEGATIVE_INFINITY, 'over'],
  [1, 'under_7_days'],
  [7 * DAY_MS, 'under_30_days'],
  [30 * DAY_MS, 'under_90_days'],
  [90 * DAY_MS, '90_days_or_more'],
] as const;

/** Of what is used, as a share of what the terms allow. The terms allow the bound itself. */
export const SHARES = [
  [0, 'under_50_percent'],
  [0.5, 'under_80_percent'],
  [0.8, 'up_to_100_percent'],
  [1 + Number.EPSILON, 'over_100_percent'],
] as const;
