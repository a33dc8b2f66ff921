export {
  FindingFilterSchema,
  FindingSchema,
  findingsAfter,
  findingsOf,
  type ListedFinding,
} from './finding-list.sql.ts';
export { recomputeRisk } from './recompute.ts';
export { riskOf } from './risk.sql.ts';
export { RISK_COMPONENTS } from './risk.ts';
export { highestLevel, isSure, LEVEL_NAMES, type Level, levelOfSignal, levelOfType } from './sensitivity.ts';
