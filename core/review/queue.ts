import type { z } from 'zod';
import { excerptsRead } from '../assets/excerpts.sql.ts';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { bounded, countedListOf, rowsToRead } from '../kernel/list.ts';
import { readTrackRecord } from './answers-to-model.sql.ts';
import { OutlookSchema, QueuedCandidateSchema } from './candidate-schema.ts';
import { countQuestions } from './queue-counts.sql.ts';
import type { QueueFilter, QueueSort } from './queue-filter.sql.ts';
import { listQueue } from './queue-list.sql.ts';
import { outlookOf, withRecord } from './track-record.ts';

export const QueueSchema = countedListOf(QueuedCandidateSchema).extend({ outlook: OutlookSchema.array() });

/** Questions that are listed with an excerpt. Each asset among them is an event of the audit trail. */
export const MAX_WITH_EXCERPTS = 50;

/**
 * The open questions of the reader's domains, under a filter, and what to expect of them. The excerpts that are shown
 * are audited as in the detail, once for each asset.
 */
export async function readQueue(
  tx: Tx,
  by: { principal: Principal; visibility: Visibility; audit: (entry: AuditEntry) => void },
  asked: { filter: QueueFilter; sort: QueueSort; limit: number; excerpts: boolean },
): Promise<z.input<typeof QueueSchema>> {
  const { visibility } = by;
  const { filter, sort } = asked;
  const limit = asked.excerpts ? Math.min(asked.limit, MAX_WITH_EXCERPTS) : asked.limit;
  const excerptsFor = asked.excerpts ? visibilityOf(by.principal, 'asset.evidence.excerpt.read') : null;
  const [record, questions, counted] = await Promise.all([
    readTrackRecord(tx, visibility, filter.domainId ?? null),
    listQueue(tx, visibility, filter, rowsToRead(limit), { excerptsFor, sort }),
    countQuestions(tx, visibility, filter),
  ]);
  const { items, truncated } = bounded(questions, limit);
  const shown = new Set(items.flatMap(({ assetId, firstExcerpt }) => (firstExcerpt ? [assetId] : [])));
  for (const assetId of shown) by.audit(excerptsRead(assetId, 1));
  return {
    items: items.map((question) => withRecord(question, record)),
    truncated: truncated || !counted.totalIsExact || counted.total > items.length,
    ...counted,
    outlook: outlookOf(items, record),
  };
}
