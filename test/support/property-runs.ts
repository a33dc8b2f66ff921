/**
 * The number of runs of a property. The suite runs a third of the usual number, and the nightly suite all of them:
 * repeated runs find rare cases over time. `PROPERTY_RUNS` overrides it.
 */
export const propertyRuns = (usual: number): number =>
  Number(process.env.PROPERTY_RUNS ?? Math.ceil(usual / 3));
