import type { Visibility } from '../authz/principal.ts';
import { tyingCandidate, visibleAsset } from '../authz/visibility.sql.ts';
import type { ConnectorMode, LabelObservation, SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isLabelOf } from '../governance/labels.sql.ts';

/** The target of an action: the location of the item and its label as last seen. */
export type Target = {
  assetId: string;
  family: SourceFamily;
  /** The mode in which the scope was connected. */
  connectedAs: ConnectorMode;
  scopeExternalId: string;
  externalId: string;
  labelState: LabelObservation['state'];
  labelGuid: string | null;
  labelName: string | null;
  /** The reader's domains that a candidate ties the asset to. */
  domainIds: string[];
};

/** Null if the asset does not exist, was deleted or is not visible to the reader. */
export async function findTarget(tx: Tx, assetId: string, visibility: Visibility): Promise<Target | null> {
  const [row] = await tx.query<Target>(sql`
    select a.asset_id as "assetId", s.family, c.mode as "connectedAs", s.external_id as "scopeExternalId",
           a.external_id as "externalId", a.label_state as "labelState", a.label_guid as "labelGuid",
           a.label_name as "labelName",
           array(select distinct k.domain_id from candidates k
                  where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and ${tyingCandidate(visibility)}
                  order by k.domain_id) as "domainIds"
      from assets a
      join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
      join connector_instances c
        on c.tenant_id = s.tenant_id and c.connector_instance_id = s.connector_instance_id
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and ${visibleAsset(visibility)}`);
  return row ?? null;
}

/** Whether an active asset is hidden from the reader. A deleted asset is hidden from nobody. */
export async function isTargetHidden(tx: Tx, assetId: string, visibility: Visibility): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from assets a
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and not (${visibleAsset(visibility)})`);
  return rows.length > 0;
}

/** The name of a label in the catalog of a source family, or null. */
export async function labelNameOf(
  tx: Tx,
  { family }: Pick<Target, 'family'>,
  labelGuid: string,
): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(sql`
    select l.name from sensitivity_labels l
     where l.tenant_id = ${tx.tenantId} and l.label_guid = ${labelGuid} and ${isLabelOf(sql`${family}`)}`);
  return row?.name ?? null;
}

/** Whether a label comes before another one in the catalog. False if the catalog lacks one of them. */
export async function isWeakerLabel(tx: Tx, labelGuid: string, than: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from sensitivity_labels l join sensitivity_labels o on o.tenant_id = l.tenant_id and o.rank > l.rank
       and o.family is not distinct from l.family
     where l.tenant_id = ${tx.tenantId} and l.label_guid = ${labelGuid} and o.label_guid = ${than}`);
  return rows.length > 0;
}

export async function isFindingOf(tx: Tx, findingId: string, assetId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from findings
     where tenant_id = ${tx.tenantId} and finding_id = ${findingId} and asset_id = ${assetId}`);
  return rows.length > 0;
}
