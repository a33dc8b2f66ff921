/** Passes over all parameters. Each lowers the loss, and the loss is convex. */
const PASSES = 150;
/** Values are rounded to a thousandth. */
const LEAST_STEP = 0.0001;
/** The greatest curvature of the logistic loss. */
const MOST_CURVATURE = 0.25;

/** A parameter: where it starts, its bounds, and what it multiplies in each case. */
export type Parameter = {
  value: number;
  preferred: number;
  hold: number;
  least: number;
  most: number;
  terms: readonly (readonly [at: number, slope: number])[];
};

/** What is fitted to: its log-odds under the parameters so far, and what is true. */
export type Case = { logOdds: number; isPositive: boolean };

/**
 * Minimizes the logistic loss with a quadratic penalty for every distance from the preferred values, one parameter at a
 * time, until none moves noticeably. Changes the values and the log-odds.
 */
export function descend(parameters: readonly Parameter[], cases: readonly Case[]): void {
  // Typed arrays, since a fit reads them millions of times.
  const fit = {
    isPositive: Float64Array.from(cases, ({ isPositive }) => (isPositive ? 1 : 0)),
    logOdds: Float64Array.from(cases, ({ logOdds }) => logOdds),
  };
  const stepped = parameters.map((parameter) => ({
    parameter,
    members: Int32Array.from(parameter.terms, ([at]) => at),
    slopes: Float64Array.from(parameter.terms, ([, slope]) => slope),
  }));
  for (let pass = 0; pass < PASSES; pass++) {
    let most = 0;
    for (const each of stepped) most = Math.max(most, Math.abs(step(each, fit)));
    if (most < LEAST_STEP) break;
  }
  for (const [at, each] of cases.entries()) each.logOdds = fit.logOdds[at] ?? each.logOdds;
}

/** Moves a parameter to the minimum of a parabola that bounds the loss from above, and the log-odds with it. */
function step(
  { parameter, members, slopes }: { parameter: Parameter; members: Int32Array; slopes: Float64Array },
  { isPositive, logOdds }: { isPositive: Float64Array; logOdds: Float64Array },
): number {
  const { value, preferred, hold, least, most } = parameter;
  let gradient = hold * (value - preferred);
  let curvature = hold;
  for (let term = 0; term < members.length; term++) {
    const at = members[term] ?? 0;
    const slope = slopes[term] ?? 0;
    const probability = 1 / (1 + Math.exp(-(logOdds[at] ?? 0)));
    gradient += (probability - (isPositive[at] ?? 0)) * slope;
    curvature += MOST_CURVATURE * slope * slope;
  }
  parameter.value = Math.min(most, Math.max(least, value - gradient / curvature));
  const moved = parameter.value - value;
  for (let term = 0; term < members.length; term++) {
    const at = members[term] ?? 0;
    logOdds[at] = (logOdds[at] ?? 0) + moved * (slopes[term] ?? 0);
  }
  return moved;
}
