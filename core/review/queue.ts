import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { bounded, listOf, rowsToRead } from '../kernel/list.ts';
import { readTrackRecord } from './answers-to-model.sql.ts';
import { CandidateSchema, OutlookSchema } from './candidate-schema.ts';
import { listQueue } from './candidates.sql.ts';
import { outlookOf, withRecord } from './track-record.ts';

export const QueueSchema = listOf(CandidateSchema).extend({ outlook: OutlookSchema.array() });

/** The open questions of the reader's domains, or of one of them, and what to expect of them. */
export async function readQueue(
  tx: Tx,
  visibility: Visibility,
  domainId: string | null,
  limit: number,
): Promise<z.input<typeof QueueSchema>> {
  const [record, questions] = await Promise.all([
    readTrackRecord(tx, visibility, domainId),
    listQueue(tx, visibility, domainId, rowsToRead(limit)),
  ]);
  const { items, truncated } = bounded(questions, limit);
  return {
    items: items.map((question) => withRecord(question, record)),
    truncated,
    outlook: outlookOf(items, record),
  };
}
