import { startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { type Db, withProvisioningTx, withTx } from '../../core/db/tx.ts';
import { FIRST_ENSEMBLE } from '../../core/inference/inference.ts';
import { ServiceError } from '../../core/kernel/errors.ts';
import type { CampaignId, PrincipalId, ScopeId, TenantId } from '../../core/kernel/ids.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import type { TestDatabase } from './database.ts';

/** Creates a tenant with one scope and nothing else. */
export async function makeTenant(
  { owner, db }: Pick<TestDatabase, 'owner' | 'db'>,
  tenantId: TenantId,
  now: number,
): Promise<ScopeId> {
  const at = new Date(now);
  await withProvisioningTx(owner, tenantId, (tx) =>
    tx.query(sql`insert into tenants (tenant_id, name, created_at) values (${tenantId}, 'A tenant', ${at})`),
  );
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await tx.query(sql`
      insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
      values (${tenantId}, ${`con_${tenantId}`}, 'm365', 'mock', ${at})`);
    const scopeId = `scp_${tenantId}` as ScopeId;
    await tx.query(sql`
      insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
      values (${tenantId}, ${scopeId}, ${`con_${tenantId}`}, 'm365', 'site-1', 'Site', 'site', ${at})`);
    return scopeId;
  });
}

/** The initial thresholds of a tenant. */
export async function makeEnsemble(
  { owner }: Pick<TestDatabase, 'owner'>,
  tenantId: TenantId,
  now: number,
): Promise<void> {
  const first = FIRST_ENSEMBLE;
  await withProvisioningTx(owner, tenantId, (tx) =>
    tx.query(sql`
      insert into ensembles values (${tenantId}, ${first.version}, ${first.candidateThreshold},
        ${first.reviewLowThreshold}, ${first.reviewHighThreshold}, ${first.nearDupConfirmedBoost},
        ${first.exactDupConfirmedBoost}, true, ${new Date(now)})`),
  );
}

/**
 * Creates a campaign over the tenant's scope with `units` units of kind `process_asset`. The payload is the index of
 * the unit, or the result of `payloadOf`.
 */
export function makeCampaign(
  db: Db,
  tenantId: TenantId,
  scopeId: ScopeId,
  units: number,
  now: number,
  payloadOf: (n: number) => object = (n) => ({ n }),
): Promise<CampaignId> {
  const unit = (n: number) => ({
    kind: 'process_asset' as const,
    logicalKey: `asset:${n}`,
    payload: payloadOf(n),
  });
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const campaignId = mustStart(
      await startCampaign(
        tx,
        {
          scopeId,
          kind: 'inventory',
          createdBy: 'somebody' as PrincipalId,
          correlationId: 'cor_1',
          first: unit(0),
        },
        now,
      ),
    );
    const rest = Array.from({ length: units - 1 }, (_, n) => unit(n + 1));
    await enqueueUnits(tx, campaignId, rest, now);
    return campaignId;
  });
}

/** Returns the id of the started campaign. Throws the error of the API if another campaign is active. */
export function mustStart(campaignId: CampaignId | null): CampaignId {
  if (campaignId === null) throw new ServiceError('conflict', 'Another campaign is active.');
  return campaignId;
}
