/**
 * The number of runs of a property. The suite runs a third of the usual number, and the nightly suite all of them:
 * repeated runs find rare cases over time. `PROPERTY_RUNS` overrides it.
 */
export const propertyRuns = (usual: number): number =>
  Number(process.env.PROPERTY_RUNS ?? Math.ceil(usual / 3));

/**
 * Whether whole products are tried: each caller at each endpoint, each request in each state. A change tries a share
 * of them, in which each side of the product still occurs.
 */
export const NIGHTLY = process.env.NIGHTLY === '1';

/** Some of a list, from another place for each turn, so that all are met over the turns. Nightly, all of it. */
export const inTurn = <T>(all: readonly T[], turn: number, most: number): readonly T[] =>
  NIGHTLY || all.length <= most ? all : [...all, ...all].slice(turn % all.length, (turn % all.length) + most);
