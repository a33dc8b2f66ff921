/** The quantile of the normal distribution for 95 %. */
const Z = 1.959964;

/** A share with the Wilson score interval for 95 %. */
export type Share = { value: number; low: number; high: number };

/** The share `part` of `whole`. Null if `whole` is 0. */
export function shareOf(part: number, whole: number): Share | null {
  if (whole === 0) return null;
  const value = part / whole;
  const z2 = Z * Z;
  const middle = value + z2 / (2 * whole);
  const spread = Z * Math.sqrt((value * (1 - value)) / whole + z2 / (4 * whole * whole));
  const scale = 1 + z2 / whole;
  return {
    value,
    low: part === 0 ? 0 : (middle - spread) / scale,
    high: part === whole ? 1 : (middle + spread) / scale,
  };
}

/**
 * The exact McNemar test: the two-sided probability of pairs at least as uneven, if each discordant pair were as likely
 * either way. 1 if there is no discordant pair.
 */
export function mcNemar(first: number, second: number): number {
  const pairs = first + second;
  let logarithm = -pairs * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= Math.min(first, second); k++) {
    tail += Math.exp(logarithm);
    logarithm += Math.log((pairs - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}
