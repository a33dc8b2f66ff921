import { z } from 'zod';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import {
  FINDINGS_LOOKED_AT,
  type FindingFilter,
  findingOrder,
  foundFindings,
  isByStatus,
  isLookedThrough,
  meetsFilter,
} from './finding-filter.sql.ts';
import {
  type FindingRow,
  FindingSchema,
  findingColumns,
  type ListedFinding,
  ListedFindingSchema,
  placeColumns,
  shownFinding,
} from './finding-list.sql.ts';
import { FINDING_KINDS } from './risk.ts';

/** An asset with its findings of the requested status, the most severe first. */
export const AssetFindingsSchema = ListedFindingSchema.pick({
  assetId: true,
  assetName: true,
  scopeId: true,
  scopeName: true,
  scopeInaccessible: true,
  /** The highest severity of its findings. */
  severity: true,
}).extend({
  /** The number of findings by severity. */
  counts: z.record(z.enum(SEVERITIES), z.int()),
  findings: z.array(FindingSchema),
});
export type AssetFindings = z.infer<typeof AssetFindingsSchema>;

/**
 * Assets that the reader may see, grouped from the list of findings and in its order; at most `limit`. An asset has
 * at most one finding of each kind, so `limit` times the number of kinds is enough findings to fill the list.
 */
export async function findingsByAsset(
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  limit: number,
): Promise<AssetFindings[]> {
  const seen = await withinAskedDomains(tx, visibility, filter);
  const among = isLookedThrough(tx, seen, filter) ? FINDINGS_LOOKED_AT : null;
  const statement = sql`
    select ${findingColumns}, ${placeColumns}
      from (
        select asset_id, min(place) as place
          from (
            select f.asset_id, row_number() over (order by ${findingOrder}) as place
              from (
                select f.* from (${foundFindings(tx, seen, filter, among)}) f
                 order by ${findingOrder} limit ${limit * FINDING_KINDS.length}
              ) f
          ) met
         group by asset_id order by place limit ${limit}
      ) first
      cross join lateral (
        select * from findings f
         where f.tenant_id = ${unpeeked(tx.tenantId)} and f.asset_id = first.asset_id and ${meetsFilter(tx, filter)}
      ) f
      cross join lateral ${assetById(tx, sql`f.asset_id`)}
      left join scopes s on s.tenant_id = f.tenant_id and s.scope_id = a.scope_id
     order by first.place, ${findingOrder}`;
  const rows = await tx.query<FindingRow<ListedFinding>>(
    isByStatus(filter) ? statement : sql.unprepared(statement),
  );
  return [...Map.groupBy(rows, ({ assetId }) => assetId).values()].flatMap(ofOneAsset);
}

function ofOneAsset(rows: FindingRow<ListedFinding>[]): AssetFindings[] {
  const [worst] = rows;
  if (worst === undefined) return [];
  const { assetId, assetName, scopeId, scopeName, scopeInaccessible, severity } = worst;
  const counts = Object.fromEntries(
    SEVERITIES.map((each) => [each, rows.filter((row) => row.severity === each).length]),
  ) as AssetFindings['counts'];
  const findings = rows.map((row) => shownFinding(row));
  return [{ assetId, assetName, scopeId, scopeName, scopeInaccessible, severity, counts, findings }];
}
