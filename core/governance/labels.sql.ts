import type { SensitivityLabel } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

export type ListedLabel = SensitivityLabel & {
  /** From 0, the weakest. */
  rank: number;
};

/** Far more labels than an organization can tell apart. Further ones are ignored. */
const MAX_LABELS = 1_000;

/**
 * Replaces the label catalog with that of a source, the weakest label first. If a label occurs twice, its last entry
 * counts. An empty catalog changes nothing.
 */
export async function storeLabels(tx: Tx, listed: readonly SensitivityLabel[], now: number): Promise<void> {
  const known = listed.slice(0, MAX_LABELS);
  const labels = [...new Map(known.map((label) => [label.guid, label])).values()];
  if (labels.length === 0) return;
  await tx.query(sql`
    with gone as (
      delete from sensitivity_labels
       where tenant_id = ${tx.tenantId} and label_guid <> all(${labels.map(({ guid }) => guid)}::text[])
    )
    insert into sensitivity_labels (tenant_id, label_guid, name, rank, updated_at)
    select ${tx.tenantId}, l ->> 'guid', l ->> 'name', place - 1, ${new Date(now)}
      from jsonb_array_elements(${sql.json(labels)}::jsonb) with ordinality as c (l, place)
    on conflict (tenant_id, label_guid) do update
      set name = excluded.name, rank = excluded.rank, updated_at = excluded.updated_at`);
}

/** The catalog, the weakest label first; at most `limit`. */
export const listLabels = (tx: Tx, limit: number): Promise<ListedLabel[]> =>
  tx.query<ListedLabel>(sql`
    select label_guid as guid, name, rank from sensitivity_labels
     where tenant_id = ${tx.tenantId} order by rank, label_guid limit ${limit}`);
