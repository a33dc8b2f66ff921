import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { builtInTitles } from '../detectors/on-demand.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import { effectiveExcerpts } from '../signals/effective-signals.sql.ts';
import {
  type CandidateRow,
  COLUMNS,
  joined,
  keepsText,
  type Question,
  toQuestion,
} from './question-row.sql.ts';
import {
  isFiltered,
  isOfQueued,
  openQuestions,
  QUEUE_LOOKED_AT,
  type QueueFilter,
  type QueuePlace,
  type QueueSort,
  queueOrder,
} from './queue-filter.sql.ts';

/** The first redacted excerpt of the asset of `candidates k`. Null if the reader may not see it, or there is none. */
const firstExcerpt = (tx: Tx, sees: Visibility | null): Statement =>
  sees === null
    ? sql`null::jsonb`
    : sql`(
        select ${effectiveExcerpts(sql`f.excerpts`, sql`k`)} -> 0 from asset_features f
         where f.tenant_id = ${unpeeked(tx.tenantId)} and f.asset_id = k.asset_id and ${keepsText}
           and ${withinDomains(sees, sql`k.domain_id`)})`;

type Queued = { firstExcerpt: Excerpt | null };

/**
 * Open questions of the reader's domains under a filter, the most valuable first unless another order is asked for; at
 * most `limit`. Each question is represented by its most valuable candidate.
 * @param excerptsFor where the reader may see excerpts; null if none are asked for
 */
export async function listQueue(
  tx: Tx,
  visibility: Visibility,
  filter: QueueFilter,
  limit: number,
  {
    excerptsFor = null,
    sort = '-value',
    look = QUEUE_LOOKED_AT,
    after = null,
  }: {
    excerptsFor?: Visibility | null;
    sort?: QueueSort;
    look?: number | null;
    after?: QueuePlace | null;
  } = {},
): Promise<(Question & Queued)[]> {
  const isNarrow = isFiltered(filter);
  const questions = openQuestions(tx, visibility, filter, {
    sort,
    most: limit,
    look: isNarrow ? look : null,
    after,
  });
  const text = sql`
    select ${COLUMNS}, ${firstExcerpt(tx, excerptsFor)} as "firstExcerpt"
      from (${questions}) k ${joined(tx, isOfQueued(sql`k`), sql`o.confidence`)}
     order by ${queueOrder(sort, sql`k`)}`;
  const rows = await tx.query<CandidateRow & Queued>(isNarrow ? sql.unprepared(text) : text);
  const titles = await builtInTitles();
  return rows.map((row) => ({ ...toQuestion(row, titles), firstExcerpt: row.firstExcerpt }));
}
