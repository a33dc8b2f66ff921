import { expect } from 'vitest';
import type { Capability } from '../../core/authz/capabilities.ts';
import { type Principal, visibilityOf } from '../../core/authz/principal.ts';
import { sql } from '../../core/db/sql.ts';
import type { ColumnsOfSignal } from '../../core/detectors/detector.ts';
import type { Endpoint } from '../../core/http/declaration.ts';
import { endpoints } from '../../core/http/endpoint.ts';
import { moduleOf } from '../../core/http/openapi.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import type { TableRead } from '../../core/kernel/table-text.ts';
import type { Role } from '../../core/kernel/vocabulary.ts';
import { addOwner } from './add-owner.ts';
import { storeScanned } from './assets.ts';
import type { SignedIn, TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { storeContainer, storeMessage, storeMessageFinding } from './messages.ts';
import { said } from './review.ts';
import { DEV, PERSONA } from './seed.ts';

/** A caller: a person with each role, owners of different domains, mixed roles, and none. */
export type Persona = SignedIn & Principal;

const FINANCE = 'dom_finance' as DomainId;
const PEOPLE = 'dom_human_resources' as DomainId;
/** Part of every name that belongs to exactly one domain. */
export const DOMAIN_CANARIES = [
  { domainId: FINANCE, canary: 'Auranox' },
  { domainId: PEOPLE, canary: 'Umbraxis' },
];
/** Part of every text of messages. */
export const MESSAGE_CANARY = 'Zephyrantes';
const canaryOf = (domainId: DomainId) =>
  DOMAIN_CANARIES.find((each) => each.domainId === domainId)?.canary ?? '';

const PEOPLE_TABLE: TableRead = {
  kind: 'table',
  rows: 3,
  estimatedRows: 40,
  columns: 2,
  maskedColumns: 0,
  binaryColumns: 0,
  allRowsVisible: true,
};
const columnsNamed = (column: string): ColumnsOfSignal => ({
  items: [{ column, saidBy: 'name', passing: 3, values: 3 }],
  truncated: false,
});

const MIXED: Record<string, readonly Role[]> = {
  pri_mixed_platform: ['domain_owner', 'platform_admin'],
  pri_mixed_approver: ['domain_owner', 'remediation_approver'],
  pri_mixed_auditor: ['domain_owner', 'governance_admin', 'auditor'],
};

const CALLERS = [
  PERSONA.financeOwner,
  PERSONA.peopleOwner,
  PERSONA.platformAdmin,
  PERSONA.governanceAdmin,
  PERSONA.approver,
  PERSONA.auditor,
  PERSONA.nobody,
  ...Object.keys(MIXED),
];

/** Assigns roles to the mixed personas, gives one the finance domain, and signs everybody in. */
export async function signInEverybody(service: TestService, database: TestDatabase): Promise<Persona[]> {
  for (const [principalId, roles] of Object.entries(MIXED)) {
    await addOwner(database, principalId, { roles, domainId: FINANCE });
  }
  const personas: Persona[] = [];
  for (const principalId of CALLERS) {
    const caller = await service.signInAs(principalId);
    const { body } = await caller.get<Principal>('/api/auth/me');
    personas.push({ ...body, ...caller, principalId: body.principalId });
  }
  return personas;
}

/** Endpoints that need a session. */
export const guardedEndpoints = (): Endpoint[] =>
  endpoints().filter(({ access }) => access.kind === 'can' || access.kind === 'session');

/** Capabilities that make a persona a reader of the whole tenant, for endpoints that only need a session. */
const READ_ALL: Readonly<Record<string, readonly Capability[]>> = {
  actions: ['action.approve', 'audit.read'],
  tasks: ['action.approve', 'audit.read'],
  // Of actions and tasks; the others need a capability.
  exports: ['action.approve', 'audit.read'],
  // Each tool calls an endpoint, which says so itself.
  mcp: [],
  home: ['scan.job.read', 'action.approve', 'governance.taxonomy.approve'],
  suggestions: ['scan.job.read', 'asset.metadata.read', 'governance.taxonomy.read'],
};

/** Which rows the endpoint may show the persona: all, those of their domains, or none. */
export function reachOf(persona: Persona, endpoint: Endpoint): 'tenant' | 'domains' | 'none' {
  const reach = (capability: Capability) => visibilityOf(persona, capability)?.kind ?? 'none';
  if (endpoint.access.kind === 'can') return reach(endpoint.access.capability);
  // Development endpoints and sign-in check nothing.
  if (endpoint.devOnly || endpoint.path.startsWith('/api/auth/')) return 'tenant';
  const capabilities = READ_ALL[moduleOf(endpoint)];
  if (capabilities === undefined)
    throw new Error(
      `${endpoint.name}: the capabilities that read the whole tenant are unknown. Add them to leak-worlds.ts`,
    );
  return capabilities.some((capability) => reach(capability) === 'tenant') ? 'tenant' : 'domains';
}

/** Creates the data of the finance domain: a scan of its site and the results. */
export async function makeFirstWorld(
  service: TestService,
  database: TestDatabase,
  personas: readonly Persona[],
) {
  const as = callerOf(personas);
  expect((await as(PERSONA.platformAdmin).post('/api/sources/connect', {})).status).toBe(200);
  const scopeId = await scopeOf(database, 'site-finance');
  await as(PERSONA.governanceAdmin).post(`/api/sources/${scopeId}/expectation`, { domainId: FINANCE });
  const started = await as(PERSONA.platformAdmin).post('/api/scans', { scopeId, kind: 'inventory' });
  expect(started.status).toBe(200);
  await finishScans(service, database);
  // In a scope that nobody governs.
  const shared = await scopeOf(database, 'site-sales');
  await as(PERSONA.platformAdmin).post('/api/scans', { scopeId: shared, kind: 'inventory' });
  await finishScans(service, database);
  await haveTaskDone(as, as(PERSONA.financeOwner), await assetOf(database, FINANCE));
  await teach(as(PERSONA.financeOwner), as(PERSONA.governanceAdmin));
}

/** An owner answers three questions, and a curator takes a snapshot of the answers and has a release evaluated on it. */
async function teach(owner: Persona, curator: Persona): Promise<void> {
  type Questions = { items: { candidateId: string }[] };
  for (const { candidateId } of (await owner.get<Questions>('/api/review/queue')).body.items.slice(0, 3)) {
    const answer = { decision: 'mine', trainingEligible: true };
    expect((await owner.post(`/api/review/candidates/${candidateId}/decision`, answer)).status).toBe(200);
  }
  type Labels = { items: { datasetCandidateId: string }[] };
  for (const { datasetCandidateId } of (await curator.get<Labels>('/api/models/dataset-candidates')).body
    .items) {
    const path = `/api/models/dataset-candidates/${datasetCandidateId}/decide`;
    expect((await curator.post(path, { decision: 'approved' })).status).toBe(200);
  }
  const taken = await curator.post<{ datasetSnapshotId: string }>('/api/models/datasets', {
    name: 'Finance',
  });
  const { datasetSnapshotId } = taken.body;
  const configPatch = { candidateThreshold: 0.6 };
  const proposed = await curator.post<{ releaseId: string }>('/api/models/releases/propose', {
    configPatch,
    datasetSnapshotId,
  });
  const evaluated = await curator.post(`/api/models/releases/${proposed.body.releaseId}/evaluate`);
  expect([taken.status, proposed.status, evaluated.status]).toEqual([200, 200, 200]);
}

/** Runs all work, including units that failed temporarily and wait, because two units can conflict on one asset. */
export async function finishScans(service: TestService, database: TestDatabase): Promise<void> {
  for (let waiting = 1; waiting > 0; service.clock.advance(10_000)) {
    await service.drain();
    const [left] = await database.inspect<{ n: number }>(sql`
      select count(*)::int as n from work_units u join campaigns c using (tenant_id, campaign_id)
       where u.status = 'pending' and c.status in ('pending', 'running')`);
    waiting = left?.n ?? 0;
  }
}

/** Marks the data of finance, after the last scan that would restore the names from the source. */
export const nameFinance = (database: TestDatabase) => nameByDomain(database, FINANCE);

/** A plan that somebody saved in each of these domains, and did not share. */
export async function savePlans(database: TestDatabase): Promise<void> {
  await database.inspect(sql`
    insert into analyst_plans (tenant_id, plan_id, created_by, name, plan, shared, tenant_wide, created_at)
    select o.tenant_id, 'pln_' || o.domain_id, o.principal_id, 'kept', ${sql.json({
      subject: 'assets',
      where: [],
      show: 'count',
      groupBy: [],
      order: null,
      limit: 50,
    })}::jsonb, false, false, now()
      from owner_assignments o
     where o.tenant_id = ${DEV} and o.assignment_id in (
       select min(assignment_id) from owner_assignments where tenant_id = ${DEV} and ended_at is null group by domain_id)
    on conflict do nothing`);
  await database.inspect(sql`
    insert into analyst_plan_domains (tenant_id, plan_id, domain_id)
    select tenant_id, plan_id, substr(plan_id, 5) from analyst_plans where tenant_id = ${DEV} and name = 'kept'`);
}

/** An owner requests a task and it is approved, so that there is a task and an action in its final state. */
async function haveTaskDone(as: (principalId: string) => Persona, owner: Persona, targetAssetId: string) {
  const drafted = await owner.post<{ actionId: string }>('/api/actions', {
    kind: 'internal_task',
    targetAssetId,
    justification: 'It is asked about every year',
    taskTitle: 'Ask',
  });
  const path = `/api/actions/${drafted.body.actionId}`;
  expect((await owner.post(`${path}/submit`)).status).toBe(200);
  expect((await as(PERSONA.approver).post(`${path}/approval`, { decision: 'approve' })).status).toBe(200);
}

async function assetOf(database: TestDatabase, domainId: DomainId): Promise<string> {
  const [row] = await database.inspect<{ asset_id: string }>(sql`
    select asset_id from candidates where tenant_id = ${DEV} and domain_id = ${domainId} and status = 'pending' limit 1`);
  if (row === undefined) throw new Error(`no asset of ${domainId}`);
  return row.asset_id;
}

/** Adds the data of a second domain: assets, some of them copies of finance's, and a failed scan. */
export async function addSecondDomain(
  service: TestService,
  database: TestDatabase,
  personas: readonly Persona[],
) {
  const as = callerOf(personas);
  const [original] = await database.inspect<{ hash: string }>(sql`
    select encode(content_hash, 'hex') as hash from assets a where content_hash is not null and tenant_id = ${DEV}
       and exists (select from candidates k where k.asset_id = a.asset_id and k.domain_id = ${FINANCE}) limit 1`);
  const canary = canaryOf(PEOPLE);
  await storeScanned(
    database.db,
    DEV,
    // Copies of assets that nobody decides on, because a decision would also affect the original.
    Array.from({ length: 6 }, (_, n) => ({
      assetId: `ast_people_${n}`,
      name: `${canary} ${n}.docx`,
      path: `${canary}/${canary} ${n}.docx`,
      ...(original !== undefined && n > 2 && { contentHash: original.hash }),
      excerpts: [{ detectorId: 'iban', text: canary, ...(n === 5 && { column: canary }) }],
      // One of them is a table.
      ...(n === 5 && { table: PEOPLE_TABLE }),
      signals: [
        {
          detectorId: 'iban',
          detectorVersion: 1,
          family: 'bank',
          count: 3,
          confidence: 0.9,
          tiers: { checksum: 3 },
          positions: [],
          ...(n === 5 && { columns: columnsNamed(canary) }),
        },
      ],
      said: [said(PEOPLE, 'ift_payroll', 0.95 - n / 10)],
    })),
  );
  await database.inspect(sql`update scopes set selected = true where tenant_id = ${DEV}`);
  for (const [n, severity] of ['critical', 'high', 'low'].entries()) {
    await database.inspect(sql`
      insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
      values (${DEV}, ${`fnd_people_${n}`}, ${`ast_people_${n + 3}`}, 'exposure', ${severity}, 'open', ${canary}, '1', now(), now())`);
  }
  const scopeId = await scopeOf(database, 'site-test');
  await as(PERSONA.governanceAdmin).post(`/api/sources/${scopeId}/expectation`, { domainId: PEOPLE });
  // The source has no such site.
  await as(PERSONA.platformAdmin).post('/api/scans', { scopeId, kind: 'inventory' });
  await finishScans(service, database);
  await haveTaskDone(as, as(PERSONA.peopleOwner), 'ast_people_0');
  await scanInSharedScope(database);
  await storeConversations(database, original?.hash);
}

/** No domain owns messages: nobody but operators and auditors sees a trace of them. */
async function storeConversations(database: TestDatabase, hash: string | undefined): Promise<void> {
  for (const family of ['chat', 'mail'] as const) {
    const containerId = `mct_${family}`;
    const named = { family, name: `${MESSAGE_CANARY} ${family}` };
    await storeContainer(database, DEV, containerId, named);
    for (const n of [1, 2]) {
      const messageId = `msg_${family}_${n}`;
      await storeMessage(database, DEV, messageId, {
        ...{ containerId, hasOutsiders: true, preview: `${MESSAGE_CANARY} invoice` },
        signals: [{ detectorId: 'iban', count: 1, confidence: 0.99 }],
        attachments: [
          { kind: 'file', name: `${MESSAGE_CANARY}.pdf`, ...(hash !== undefined && { hash }) },
          { kind: 'reference', backing: { scope: 'site-test', item: 'ext-ast_people_0' } },
        ],
      });
      await storeMessageFinding(database, DEV, `mfd_${family}_${n}`, { containerId, messageId });
    }
    await storeMessageFinding(database, DEV, `mfd_${family}`, { containerId, severity: 'critical' });
  }
}

/** Each scan of the scope that nobody governs had two more files, of the second domain; one of them failed. */
async function scanInSharedScope(database: TestDatabase): Promise<void> {
  const scopeId = await scopeOf(database, 'site-sales');
  await database.inspect(sql`
    with scan as (
      update campaigns set units_total = units_total + 2, units_completed = units_completed + 1, units_dead = units_dead + 1
       where tenant_id = ${DEV} and scope_id = ${scopeId} returning campaign_id
    ), units as (
      insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, status, run_after, created_at, settled_at)
      select ${DEV}, campaign_id, 'process_asset', 'asset:' || asset_id, jsonb_build_object('assetId', asset_id), status,
             now(), now(), now()
        from scan, (values ('ast_people_1', 'completed'), ('ast_people_2', 'dead')) as of (asset_id, status)
      returning unit_id, campaign_id, status
    ), outcomes as (
      update campaign_stage_counts set count = count + 1
       where tenant_id = ${DEV} and campaign_id in (select campaign_id from scan)
    )
    insert into dead_letters (tenant_id, dead_letter_id, unit_id, campaign_id, retry_class, safe_diagnostic, attempt, created_at)
    select ${DEV}, 'dlt_people_' || unit_id, unit_id, campaign_id, 'corrupt', 'x', 1, now() from units where status = 'dead'`);
}

const callerOf = (personas: readonly Persona[]) => (principalId: string) => {
  const found = personas.find((persona) => persona.principalId === principalId);
  if (found === undefined) throw new Error(`no persona ${principalId}`);
  return found;
};

async function scopeOf(database: TestDatabase, externalId: string): Promise<string> {
  const [row] = await database.inspect<{ scope_id: string }>(
    sql`select scope_id from scopes where tenant_id = ${DEV} and external_id = ${externalId}`,
  );
  if (row === undefined) throw new Error(`no scope ${externalId}`);
  return row.scope_id;
}

/** Puts the domain's canary into the name and path of each asset that belongs only to it. */
const nameByDomain = (database: TestDatabase, domainId: DomainId) =>
  database.inspect(sql`
    update assets a set name = ${canaryOf(domainId)} || ' ' || name, path = ${canaryOf(domainId)} || '/' || path
     where tenant_id = ${DEV}
       and (select array_agg(distinct domain_id) from candidates k
             where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id) = array[${domainId}]`);
