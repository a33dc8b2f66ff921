import { type Statement, sql } from '../db/sql.ts';

/** What an answer to a candidate is worth. The order of the queue; the index `candidates_by_value` holds it. */
export const questionValue = (candidate: Statement): Statement => sql`question_value(
  ${candidate}.representative, ${candidate}.band, ${candidate}.confidence, ${candidate}.risk_severity, ${candidate}.related_count)`;

/** The parts of it, as columns. */
export const valueParts = (candidate: Statement): Statement => sql`
  band_points(${candidate}.band, ${candidate}.confidence) as "bandPoints",
  risk_points(${candidate}.risk_severity) as "riskPoints",
  related_points(${candidate}.representative, ${candidate}.band, ${candidate}.confidence, ${candidate}.related_count) as "relatedPoints",
  related_points(${candidate}.representative, ${candidate}.band, ${candidate}.confidence, ${candidate}.related_count)
    = related_points(false, 'routed', null, ${candidate}.related_count) as "relatedInFull"`;
