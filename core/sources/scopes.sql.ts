import type { Visibility } from '../authz/principal.ts';
import { visibleScope } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import type { ConnectorMode, RefusedSite, SourceFamily, SourceScope } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Inaccessible, inaccessibleOf } from '../findings/inaccessible-scope.sql.ts';
import { isApprovedDomain } from '../governance/approved-domain.sql.ts';
import { notFound, validationFailed } from '../kernel/errors.ts';
import { type CampaignId, type DomainId, newId, type ScopeId } from '../kernel/ids.ts';
import { assetsByScope } from '../landscape/cells.sql.ts';
import { ACTIVE_STATUSES } from '../work/active-campaign.sql.ts';
import type { CoverageState, CursorStatus } from './coverage-states.ts';

export type ScopeRow = {
  scopeId: ScopeId;
  name: string;
  kind: string;
  family: SourceFamily;
  mode: ConnectorMode;
  externalId: string;
  selected: boolean;
  coverageState: CoverageState | null;
  deltaCursorStatus: CursorStatus;
  narrowed: boolean;
  leftOut: { items: number; assetsKept: number } | null;
  inaccessible: Inaccessible;
  assetCount: number;
  expectation: { domainId: DomainId } | null;
  /** The scan that is pending, running or paused. */
  activeCampaignId: CampaignId | null;
};

/**
 * Creates or updates the tenant's connector instance of a family and registers scopes of it, each once. A scope that a
 * person left out stays so.
 */
export async function registerScopes(
  tx: Tx,
  family: SourceFamily,
  mode: ConnectorMode,
  scopes: readonly SourceScope[],
  now: number,
): Promise<{ connectorInstanceId: string; scopesRegistered: number; mode: ConnectorMode }> {
  const at = new Date(now);
  const [instance] = await tx.query<{ connectorInstanceId: string }>(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${tx.tenantId}, ${newId('con', now)}, ${family}, ${mode}, ${at})
    on conflict on constraint connector_instances_family do update set mode = excluded.mode
    returning connector_instance_id as "connectorInstanceId"`);
  const connectorInstanceId = instance?.connectorInstanceId ?? '';
  const listed = scopes.map((scope) => ({ ...scope, scopeId: newId('scp', now) }));
  const scopesRegistered = await tx.execute(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, site_ids, created_at)
    select ${tx.tenantId}, "scopeId", ${connectorInstanceId}, ${family}, "externalId", name, kind, "siteIds", ${at}
      from jsonb_to_recordset(${sql.json(listed)}::jsonb)
        as s ("scopeId" text, "externalId" text, name text, kind text, "siteIds" text[])
    on conflict on constraint scopes_external
      do update set name = excluded.name, kind = excluded.kind, site_ids = excluded.site_ids,
        listed = true, selected = scopes.left_out_at is null`);
  return { connectorInstanceId, scopesRegistered, mode };
}

/**
 * Marks the scopes that the configuration no longer selects: all but these, and those of sites that could not be listed.
 * A scope that was registered by a former release is of any site. Nothing is deleted. Returns how many it marks.
 */
export async function deselectOthers(
  tx: Tx,
  connectorInstanceId: string,
  selected: readonly string[],
  refused: readonly RefusedSite[],
): Promise<number> {
  return tx.execute(sql`
    update scopes set selected = false, listed = false
     where tenant_id = ${tx.tenantId} and connector_instance_id = ${connectorInstanceId}
       and (selected or left_out_at is not null and listed)
       and not external_id = any(${selected}::text[])
       and not coalesce(site_ids && ${refused.map(({ siteId }) => siteId)}::text[], ${refused.length > 0})`);
}

type DatabaseRow = Omit<ScopeRow, 'expectation'> & { expectedDomainId: DomainId | null };

/** What rules leave out of a scope, of the last scan that listed it whole. */
const leftOutOf = (scope: Statement) => sql`
  json_build_object(
    'items', (select coalesce(sum(l.items), 0) from campaign_left_out l
               where l.tenant_id = ${scope}.tenant_id and l.campaign_id = ${scope}.listed_by and l.reason = 'rule'),
    'assetsKept', ${scope}.assets_left_out)`;

/** The expected domain is shown only to readers who may see it. */
const columns = (visibility: Visibility) => sql`
  s.scope_id as "scopeId", s.name, s.kind, s.family, i.mode, s.external_id as "externalId", s.selected,
  s.coverage_state as "coverageState", s.delta_cursor_status as "deltaCursorStatus",
  s.narrowed_at is not null as narrowed, case when coalesce(${withinDomains(
    visibility,
    sql`s.expected_domain_id`,
  )}, false) then ${leftOutOf(sql`s`)} end as "leftOut",
  ${inaccessibleOf(sql`s`)} as inaccessible, coalesce(n.assets, 0) as "assetCount", case when ${withinDomains(
    visibility,
    sql`s.expected_domain_id`,
  )} then s.expected_domain_id end
    as "expectedDomainId",
  (select c.campaign_id from campaigns c
    where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id and c.status in ${ACTIVE_STATUSES})
    as "activeCampaignId"`;

const toScope = ({ expectedDomainId, ...row }: DatabaseRow): ScopeRow => ({
  ...row,
  expectation: expectedDomainId === null ? null : { domainId: expectedDomainId },
});

/** Scopes that the reader may see, ordered by name; at most `limit`. */
export async function listScopes(tx: Tx, visibility: Visibility, limit: number): Promise<ScopeRow[]> {
  const rows = await tx.query<DatabaseRow>(sql`
    select ${columns(visibility)}
      from scopes s join connector_instances i using (tenant_id, connector_instance_id)
      left join (${assetsByScope(tx, visibility)}) n using (scope_id)
     where s.tenant_id = ${tx.tenantId} and ${visibleScope(visibility)}
     order by s.family, s.name, s.scope_id limit ${limit}`);
  return rows.map(toScope);
}

/** A scope as the service itself sees it. The caller checks visibility. */
export async function findScope(tx: Tx, scopeId: string): Promise<ScopeRow | null> {
  const [row] = await tx.query<DatabaseRow>(sql`
    select ${columns({ kind: 'tenant' })}
      from scopes s join connector_instances i using (tenant_id, connector_instance_id)
      left join (${assetsByScope(tx, { kind: 'tenant' })}) n using (scope_id)
     where s.tenant_id = ${tx.tenantId} and s.scope_id = ${scopeId}`);
  return row ? toScope(row) : null;
}

/** Whoever selects scopes waits until this transaction has ended, and it waits for them. */
export async function lockSelection(tx: Tx, scopeId: string): Promise<void> {
  await tx.query(sql`
    select scope_id from scopes where tenant_id = ${tx.tenantId} and scope_id = ${scopeId} for share`);
}

/**
 * Sets the domain that a scope is expected to hold. It must be approved, because inference and risk depend on it.
 * Throws `not_found` (scope) and `validation_failed` (domain).
 */
export async function setExpectation(tx: Tx, scopeId: string, domainId: string | null): Promise<void> {
  if ((await findScope(tx, scopeId)) === null) throw notFound();
  if (domainId !== null && !(await isApprovedDomain(tx, domainId)))
    throw validationFailed([{ path: 'domainId', message: 'Must be an approved domain.' }]);
  await tx.execute(sql`
    update scopes set expected_domain_id = ${domainId}
     where tenant_id = ${tx.tenantId} and scope_id = ${scopeId}`);
}
