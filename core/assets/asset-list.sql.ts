import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import type { AssetFilter, AssetSummary } from './asset-schema.ts';
import {
  type Classification,
  classificationColumns,
  classificationJoins,
  firmestPlacement,
} from './classification.sql.ts';
import { findAssets } from './search.sql.ts';
import { visibleAsset } from './visibility.sql.ts';

type DatabaseRow = Omit<AssetSummary, 'classification' | 'sourceModifiedAt' | 'lastSeenAt' | 'changedAt'> & {
  sourceModifiedAt: Date | null;
  lastSeenAt: Date;
  changedAt: Date;
} & (Classification | { [name in keyof Classification]: null });

/** The place of an asset in the list. */
export type AssetPlace = Pick<AssetSummary, 'assetId' | 'changedAt'>;

/**
 * Assets that the reader may see, the most recently changed first, then by id; at most `limit`, after a place where one
 * is given.
 */
export async function listAssets(
  tx: Tx,
  visibility: Visibility,
  filter: AssetFilter,
  limit: number,
  after: AssetPlace | null = null,
): Promise<AssetSummary[]> {
  const { q, informationTypeId } = filter;
  const found =
    q === undefined || q === '' ? null : await findAssets(tx, visibility, q, { filter, limit, after });
  // What is asked for is picked first, so that only the rows which are returned are classified.
  const rows = await tx.query<DatabaseRow>(sql`
    select a.asset_id as "assetId", a.name, a.path, a.kind, a.size_bytes as "sizeBytes", a.mime_type as "mimeType",
           a.format, a.scope_id as "scopeId", s.name as "scopeName", a.content_state as "contentState",
           a.label_state as "labelState", a.label_name as "labelName", a.source_modified_at as "sourceModifiedAt",
           a.last_seen_at as "lastSeenAt", a.changed_at as "changedAt", a.risk_severity as "riskSeverity",
           ${classificationColumns}
      from (${pickedAssets(tx, visibility, filter, { found, limit, after })}) picked
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = picked.asset_id
      join scopes s on s.tenant_id = ${tx.tenantId} and s.scope_id = a.scope_id
      left join lateral (${firmestPlacement(visibility, informationTypeId)}) p on true
      ${classificationJoins(tx)}
     order by a.changed_at desc, a.asset_id desc`);
  return rows.map(
    ({
      candidateId,
      domainId,
      domainName,
      informationTypeId: typeId,
      informationTypeName,
      confidence,
      status,
      decision,
      ...asset
    }) => ({
      ...asset,
      classification:
        candidateId === null
          ? null
          : {
              candidateId,
              domainId,
              domainName,
              informationTypeId: typeId,
              informationTypeName,
              confidence,
              status,
              decision,
            },
      sourceModifiedAt: asset.sourceModifiedAt?.toISOString() ?? null,
      lastSeenAt: asset.lastSeenAt.toISOString(),
      changedAt: asset.changedAt.toISOString(),
    }),
  );
}

/**
 * Selects the ids of what the list shows: of what a search `found`, or else by a walk in the order of an index: that of
 * an information type, of each domain of the reader, or of all assets.
 */
function pickedAssets(
  tx: Tx,
  visibility: Visibility,
  { informationTypeId, labelState, riskSeverity }: AssetFilter,
  list: { found: readonly string[] | null; limit: number; after: AssetPlace | null },
): Statement {
  const { found, limit, after } = list;
  const asked = (of: Statement) => sql`
    ${labelState === undefined ? sql`true` : sql`${of}.label_state = ${labelState}`}
    and ${riskSeverity === undefined ? sql`true` : sql`${of}.risk_severity = ${riskSeverity}`}
    and ${after === null ? sql`true` : sql`(${of}.changed_at, ${of}.asset_id) < (${new Date(after.changedAt)}, ${after.assetId})`}`;
  const inOrder = (of: Statement) => sql`order by ${of}.changed_at desc, ${of}.asset_id desc limit ${limit}`;
  if (found !== null) {
    const ofType =
      informationTypeId === undefined
        ? sql`true`
        : sql`exists (select from asset_placements p
                       where p.tenant_id = a.tenant_id and p.asset_id = a.asset_id
                         and p.information_type_id = ${informationTypeId}
                         and ${withinDomains(visibility, sql`p.domain_id`)})`;
    return sql`
      select a.asset_id, a.changed_at from assets a
       where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${found}::text[]) and a.status = 'active'
         and ${visibleAsset(visibility)} and ${ofType} and ${asked(sql`a`)} ${inOrder(sql`a`)}`;
  }
  if (visibility.kind === 'tenant' && informationTypeId === undefined) {
    return sql`
      select a.asset_id, a.changed_at from assets a
       where a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${asked(sql`a`)} ${inOrder(sql`a`)}`;
  }
  if (informationTypeId !== undefined) {
    return sql`
      select p.asset_id, p.changed_at from asset_placements p
       where p.tenant_id = ${tx.tenantId} and p.information_type_id = ${informationTypeId}
         and ${withinDomains(visibility, sql`p.domain_id`)} and ${asked(sql`p`)} ${inOrder(sql`p`)}`;
  }
  // The first of each domain, and then the first of those: an asset may be in two domains of the reader.
  return sql`
    select distinct first.asset_id, first.changed_at
      from domains o cross join lateral (
        select p.asset_id, p.changed_at from asset_placements p
         where p.tenant_id = o.tenant_id and p.domain_id = o.domain_id and p.firmest and ${asked(sql`p`)}
         ${inOrder(sql`p`)}) first
     where o.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`o.domain_id`)}
     ${inOrder(sql`first`)}`;
}
