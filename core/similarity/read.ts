export type { SimilarityKind } from './comparable.ts';
export { findNeighbours } from './find-neighbours.sql.ts';
export { findSimilar, findSimilarToEach } from './find-similar.sql.ts';
export { estimatedJaccard } from './sketch.ts';
export type { Sketches } from './sketches.ts';
export { markDecided } from './store-comparable.sql.ts';
