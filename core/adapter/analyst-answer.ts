import { z } from 'zod';
import { type Answer, AnswerSchema, ResultSchema } from '../analyst/answer-schema.ts';
import { EvidenceRowSchema } from '../analyst/rows.sql.ts';

/** How many rows an assistant wants. */
export const RowsArgument = {
  rows: z.int().min(1).max(50).default(10).describe('Rows to return at most'),
};

/** An answer of the analyst without what the assistant knows already. */
export const AnswerDataSchema = AnswerSchema.pick({ scopeNote: true, notes: true }).extend({
  interpretation: z.string(),
  result: ResultSchema.pick({ count: true, sizeBytes: true, partCount: true, groups: true, compared: true })
    .extend({ rows: z.array(EvidenceRowSchema) })
    .nullable(),
  coverage: AnswerSchema.shape.coverage,
});
type AnswerData = z.infer<typeof AnswerDataSchema>;

export const listedRows = ({ result }: AnswerData): unknown[] =>
  result === null ? [] : (result.compared?.items ?? result.groups?.items ?? result.rows);

/** The answer with at most `most` rows. Groups or the items of a comparison are shown instead of rows. */
export function answerOf({ interpretation, scopeNote, notes, coverage, result }: Answer, most: number) {
  const groups = result?.groups ?? null;
  const all = result?.compared ?? null;
  const compared = all && {
    items: all.items.slice(0, most),
    truncated: all.truncated || all.items.length > most,
  };
  const rows = groups === null && compared === null ? (result?.rows.slice(0, most) ?? []) : [];
  const shown = compared ?? groups ?? { items: rows, truncated: (result?.count ?? 0) > rows.length };
  return {
    total: all?.items.length ?? result?.count ?? 0,
    totalIsExact:
      all === null ? result !== null && result.count !== null && coverage.isWhole : !all.truncated,
    returned: shown.items.length,
    truncated: shown.truncated,
    data: {
      interpretation: interpretation.text,
      scopeNote,
      notes,
      coverage,
      result: result && {
        count: result.count,
        sizeBytes: result.sizeBytes,
        partCount: result.partCount,
        groups,
        compared,
        rows,
      },
    },
  };
}
