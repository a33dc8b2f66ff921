/**
 * How often a property is tried that takes a database for each run: `usual` in the suite, where all that is run finds
 * what is rare over time, or `PROPERTY_RUNS` for whoever changes what it is about.
 */
export const propertyRuns = (usual: number): number => Number(process.env.PROPERTY_RUNS ?? usual);
