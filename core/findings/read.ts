export { FindingSchema, findingsOf } from './finding-list.sql.ts';
export { recomputeRisk } from './recompute.ts';
export { riskOf } from './risk.sql.ts';
export { RISK_COMPONENTS } from './risk.ts';
