export {
  FindingFilterSchema,
  FindingSchema,
  findingsAfter,
  findingsOf,
  type ListedFinding,
} from './finding-list.sql.ts';
export { recomputeRisk } from './recompute.ts';
export { riskOf } from './risk.sql.ts';
export { NO_OWNER_AFTER_DAYS, RISK_COMPONENTS } from './risk.ts';
export { highestLevel, isSure, LEVEL_NAMES, type Level, levelOfSignal, levelOfType } from './sensitivity.ts';
