import fc from 'fast-check';
import { propertyRuns } from './property-runs.ts';

/** For properties that name no number of runs, of which fast-check would run a hundred. */
fc.configureGlobal({ numRuns: propertyRuns(100) });
