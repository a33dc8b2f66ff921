import type { SensitivityLabel, SourceFamily } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

export type ListedLabel = SensitivityLabel & {
  /** Null for one that an earlier release listed, until its family lists it. */
  family: SourceFamily | null;
  /** From 0, the weakest. */
  rank: number;
};

/** Far more labels than an organization can tell apart. Further ones are ignored. */
const MAX_LABELS = 1_000;

/**
 * Whether a label `l` of the catalog is of a source family. Those that an earlier release listed may be of any that has not
 * listed its own yet.
 */
export const isLabelOf = (
  family: Statement,
): Statement => sql`(l.family = ${family} or l.family is null and not exists (
  select from sensitivity_labels own where own.tenant_id = l.tenant_id and own.family = ${family}))`;

/**
 * Replaces the labels of a source family, the weakest first. If a label occurs twice, its last entry counts. An empty catalog
 * changes nothing. An id that another family has stays its own: the release before inserts by the key `(tenant_id, label_guid)`,
 * which therefore cannot have the family yet. Each family makes its ids apart, most of them as GUIDs. Of the labels that an
 * earlier release listed a family takes those that it lists itself; what is left of them goes with a list of Microsoft 365,
 * which had nearly all.
 */
export async function storeLabels(
  tx: Tx,
  family: SourceFamily,
  listed: readonly SensitivityLabel[],
  now: number,
): Promise<void> {
  const known = listed.slice(0, MAX_LABELS);
  const labels = [...new Map(known.map((label) => [label.guid, label])).values()];
  if (labels.length === 0) return;
  await tx.query(sql`
    with gone as (
      delete from sensitivity_labels
       where tenant_id = ${tx.tenantId} and label_guid <> all(${labels.map(({ guid }) => guid)}::text[])
         and (family = ${family} or family is null and ${family === 'm365'})
    )
    insert into sensitivity_labels as l (tenant_id, family, label_guid, name, rank, updated_at)
    select ${tx.tenantId}, ${family}, c.l ->> 'guid', c.l ->> 'name', place - 1, ${new Date(now)}
      from jsonb_array_elements(${sql.json(labels)}::jsonb) with ordinality as c (l, place)
    on conflict (tenant_id, label_guid) do update
      set family = excluded.family, name = excluded.name, rank = excluded.rank, updated_at = excluded.updated_at
      where coalesce(l.family, excluded.family) = excluded.family`);
}

/** The labels of all families, of each the weakest first; at most `limit`. */
export const listLabels = (tx: Tx, limit: number): Promise<ListedLabel[]> =>
  tx.query<ListedLabel>(sql`
    select label_guid as guid, family, name, rank from sensitivity_labels
     where tenant_id = ${tx.tenantId} order by family, rank, label_guid limit ${limit}`);
