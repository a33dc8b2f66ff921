/**
 * Whether whole products are tried: each caller at each endpoint, each request in each state. A change tries a share
 * of them, in which each side of the product still occurs.
 */
export const NIGHTLY = process.env.NIGHTLY === '1';
const NIGHTLY_RUNS = 300;

/**
 * The number of runs of a property. A change runs a third of the usual number, and the nightly suite all of them or
 * more: repeated runs find rare cases over time. `PROPERTY_RUNS` overrides it.
 */
export function propertyRuns(usual: number): number {
  const { PROPERTY_RUNS: wanted } = process.env;
  if (wanted !== undefined) return Number(wanted);
  return NIGHTLY ? Math.max(usual, NIGHTLY_RUNS) : Math.ceil(usual / 3);
}

/** Some of a list, from another place for each turn, so that all are met over the turns. Nightly, all of it. */
export const inTurn = <T>(all: readonly T[], turn: number, most: number): readonly T[] =>
  NIGHTLY || all.length <= most ? all : [...all, ...all].slice(turn % all.length, (turn % all.length) + most);
