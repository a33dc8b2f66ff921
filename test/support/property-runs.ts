/**
 * The number of runs of a property that needs a database for each run. `usual` applies in the suite, where repeated
 * runs find rare cases over time. `PROPERTY_RUNS` overrides it.
 */
export const propertyRuns = (usual: number): number => Number(process.env.PROPERTY_RUNS ?? usual);
