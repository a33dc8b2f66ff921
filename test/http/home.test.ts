import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { CANARY, storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, invoices, payroll } from '../support/review.ts';
import { DEV, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Home = {
  domains: {
    domainId: string;
    domainName: string;
    assets: number;
    confirmed: number;
    unlabeled: number;
    pendingReviews: number;
    openFindings: number;
    changedLast7Days: number;
    assignments: { kind: string; attestation: { state: string } }[];
  }[];
  pendingApprovals?: { count: number; items: { actionId: string; targetAssetId: string }[] };
  draftTaxonomy?: { domains: number; informationTypes: number; regulatoryMappings: number };
  withoutOwner?: {
    items: { domainId: string; domainName: string; waitingQuestions: number; waitingSince: string | null }[];
    truncated: boolean;
  };
  scopes?: { items: { name: string; assetCount: number }[] };
};
type Cell = {
  domainId: string | null;
  domainName: string | null;
  informationTypeId: string | null;
  informationTypeName: string | null;
  scopeName: string;
  provenance: string;
  labelState: string;
  riskSeverity: string | null;
  assets: number;
  openFindings: number;
  pendingReviews: number;
};

const DAY = 24 * 3_600_000;

let database: TestDatabase;
let service: TestService;
let owner: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  owner = await service.signInAs(PERSONA.financeOwner);
  const now = Date.now();
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_h_1', said: [invoices(0.9)], seenAt: now },
    { assetId: 'ast_h_2', said: [invoices(0.6), payroll(0.8)], seenAt: now - 8 * DAY },
    { assetId: 'ast_h_3', said: [payroll(0.9)], labelName: 'General', seenAt: now },
    { assetId: 'ast_h_4', seenAt: now },
  ]);
  await storeScanned(database.db, OTHER, [{ assetId: 'ast_h_5', said: [invoices(0.9)], seenAt: now }]);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const homeOf = async (caller: SignedIn) => {
  const { status, body } = await caller.get<Home>('/api/home');
  expect(status).toBe(200);
  return body;
};
const landscapeOf = async (caller: SignedIn) => {
  const { status, body } = await caller.get<{ items: Cell[]; truncated: boolean }>('/api/landscape');
  expect([status, body.truncated]).toEqual([200, false]);
  return body.items;
};

describe('home', () => {
  test('shows an owner the state of their domains, and of no other', async () => {
    const { domains, ...sections } = await homeOf(owner);
    expect(domains).toMatchObject([
      {
        domainId: 'dom_finance',
        domainName: 'Finance',
        assets: 2,
        confirmed: 0,
        unlabeled: 2,
        pendingReviews: 2,
        openFindings: 0,
        changedLast7Days: 1,
        assignments: [{ kind: 'owner' }],
      },
    ]);
    expect(Object.keys(sections)).toEqual(['scopes']);
    expect(sections.scopes?.items).toMatchObject([{ name: 'Test site', assetCount: 2 }]);
  });

  test('follows a decision, a finding and a deletion at once', async () => {
    const { body } = await owner.get<{ items: { assetId: string; candidateId: string }[] }>(
      '/api/review/queue',
    );
    const first = body.items.find(({ assetId }) => assetId === 'ast_h_1');
    await decided(owner, first?.candidateId ?? '', { decision: 'mine' });
    await database.inspect(sql`
      insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
      values (${DEV}, 'fnd_h_1', 'ast_h_1', 'stale_access', 'high', 'open', 'n', '1', now(), now())
      on conflict on constraint findings_once do nothing`);
    const [known] = await database.inspect<{ n: number }>(sql`
      select count(*)::int as n from findings where asset_id = 'ast_h_1' and status <> 'resolved'`);
    expect((await homeOf(owner)).domains).toMatchObject([
      { assets: 2, confirmed: 1, pendingReviews: 1, openFindings: known?.n },
    ]);
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_h_1'`);
    expect((await homeOf(owner)).domains).toMatchObject([
      { assets: 1, confirmed: 0, pendingReviews: 1, openFindings: 0, changedLast7Days: 0 },
    ]);
    await database.inspect(sql`update assets set status = 'active' where asset_id = 'ast_h_1'`);
    expect((await homeOf(owner)).domains).toMatchObject([{ assets: 2, confirmed: 1, openFindings: 0 }]);
  });

  test('has for each role the sections of its capabilities', async () => {
    const sections = async (persona: string) => {
      const { domains, ...rest } = await homeOf(await service.signInAs(persona));
      return [domains.length, ...Object.keys(rest).sort()];
    };
    expect(await sections(PERSONA.approver)).toEqual([0, 'pendingApprovals']);
    const ofGovernance = [0, 'draftTaxonomy', 'nobodys', 'scopes', 'withoutOwner'];
    expect(await sections(PERSONA.governanceAdmin)).toEqual(ofGovernance);
    expect(await sections(PERSONA.platformAdmin)).toEqual([0, 'scopes']);
    expect(await sections(PERSONA.auditor)).toEqual([0, 'scopes']);
    expect(await sections(PERSONA.nobody)).toEqual([0]);
    expect((await service.anonymous.get('/api/home')).status).toBe(401);
  });

  test('tells an approver of each action that waits what it takes to decide', async () => {
    const approver = await service.signInAs(PERSONA.approver);
    expect((await homeOf(approver)).pendingApprovals).toEqual({ count: 0, items: [] });
    await database.inspect(sql`
      insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
      values (${DEV}, 'fnd_h_2', 'ast_h_2', 'exposure', 'high', 'open', 'Anyone with a link.', '1', now(), now())`);
    const ask = async (more: object) => {
      const drafted = await owner.post<{ actionId: string }>('/api/actions', {
        kind: 'internal_task',
        targetAssetId: 'ast_h_2',
        justification: 'It is open to anyone.',
        taskTitle: 'Close it',
        ...more,
      });
      const { actionId } = drafted.body;
      expect((await owner.post(`/api/actions/${actionId}/submit`)).status).toBe(200);
      return actionId;
    };
    const asked = [await ask({ findingId: 'fnd_h_2', taskNote: 'Soon' }), await ask({})];
    const { count, items } = (await homeOf(approver)).pendingApprovals ?? expect.unreachable();
    expect([count, items.map(({ actionId }) => actionId)]).toEqual([2, asked]);
    const requester = { principalId: PERSONA.financeOwner, displayName: expect.any(String) };
    expect(items[0]).toEqual({
      actionId: asked[0],
      kind: 'internal_task',
      targetAssetId: 'ast_h_2',
      targetAssetName: `${CANARY} ast_h_2.docx`,
      targetAssetPath: `${CANARY}/${CANARY} ast_h_2.docx`,
      targetScopeName: 'Test site',
      justification: 'It is open to anyone.',
      taskTitle: 'Close it',
      taskNote: 'Soon',
      mode: null,
      requester,
      requestedBy: PERSONA.financeOwner,
      preview: {
        readAt: expect.any(String),
        readFrom: 'service',
        currentState: { kind: 'task', exists: false },
        desiredState: { kind: 'task', exists: true },
        changes: true,
      },
      finding: {
        findingId: 'fnd_h_2',
        kind: 'exposure',
        severity: 'high',
        status: 'open',
        notes: 'Anyone with a link.',
      },
      revision: 1,
      createdAt: expect.any(String),
      submittedAt: expect.any(String),
    });
    expect(items[1]).toMatchObject({ taskNote: null, finding: null });
    // The revision is the one that a decision may name.
    for (const { actionId } of items) {
      const decision = { decision: 'reject', revision: 1 };
      expect((await approver.post(`/api/actions/${actionId}/approval`, decision)).status).toBe(200);
    }
    expect((await homeOf(approver)).pendingApprovals).toEqual({ count: 0, items: [] });
  });

  test('counts what waits to be approved', async () => {
    const admin = await service.signInAs(PERSONA.governanceAdmin);
    const before = (await homeOf(admin)).draftTaxonomy;
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, created_at, updated_at)
      values (${DEV}, 'dom_h_draft', 'A draft', now(), now()), (${OTHER}, 'dom_h_draft', 'A draft', now(), now())`);
    expect((await homeOf(admin)).draftTaxonomy).toEqual({ ...before, domains: (before?.domains ?? 0) + 1 });
  });
});

describe('domains without an owner', () => {
  const DOMAINS = Array.from({ length: 52 }, (_, n) => `dom_lonely_${n}`);
  const withoutOwner = async () =>
    (await homeOf(await service.signInAs(PERSONA.governanceAdmin))).withoutOwner ?? expect.unreachable();
  const asked = (assetId: string, domainId = '', createdAt = 0) =>
    database.inspect(sql`
      insert into candidates (tenant_id, candidate_id, asset_id, domain_id, information_type_id, confidence, band, created_at,
                              updated_at)
      select ${DEV}, 'cnd_' || n || ${`${assetId}${domainId}`}, ${assetId}, ${domainId}, ${domainId} || '_ift_' || n, 0.9,
             'high', ${new Date(createdAt)}::timestamptz + n * interval '1 hour', now()
        from generate_series(1, 2) n`);

  test('are told to who assigns owners, the most waiting assets first, and since when', async () => {
    expect(await withoutOwner()).toEqual({ items: [], truncated: false });
    const [few, many, none, draft] = DOMAINS;
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, status, created_at, updated_at)
      select ${DEV}, d, case d when 'dom_lonely_2' then 'A lonely one' else d end,
             case d when 'dom_lonely_3' then 'draft' else 'approved' end, now(), now()
        from unnest(${DOMAINS.slice(0, 4)}::text[]) as d`);
    await database.inspect(sql`
      insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
      select ${DEV}, d || '_ift_' || n, d, 'Type ' || n, now(), now()
        from unnest(${DOMAINS.slice(0, 4)}::text[]) as d cross join generate_series(1, 2) n`);
    await storeScanned(
      database.db,
      DEV,
      Array.from({ length: 3 }, (_, n) => ({ assetId: `ast_lonely_${n}` })),
    );
    const since = Date.UTC(2026, 2, 1);
    await asked('ast_lonely_0', few, since - 9 * DAY);
    for (const n of [0, 1, 2]) await asked(`ast_lonely_${n}`, many, since + n * DAY);
    await asked('ast_lonely_0', draft, since);
    const HOUR = 3_600_000;
    const row = (domainId: string | undefined, waitingQuestions: number, at: number | null) => ({
      ...{ domainId, waitingQuestions },
      waitingSince: at && new Date(at).toISOString(),
    });
    expect((await withoutOwner()).items).toMatchObject([
      row(many, 3, since + HOUR),
      row(few, 1, since - 9 * DAY + HOUR),
      { ...row(none, 0, null), domainName: 'A lonely one' },
    ]);
    // What is answered, and what is gone, waits no longer.
    await database.inspect(sql`
      update candidates set status = 'withdrawn' where asset_id = 'ast_lonely_0' and domain_id = 'dom_lonely_1'`);
    await database.inspect(sql`update assets set status = 'deleted' where asset_id = 'ast_lonely_1'`);
    expect((await withoutOwner()).items[0]).toMatchObject(row(few, 1, since - 9 * DAY + HOUR));
    expect((await withoutOwner()).items[1]).toMatchObject(row(many, 1, since + 2 * DAY + HOUR));
    const admin = await service.signInAs(PERSONA.governanceAdmin);
    const listed = (await admin.get<{ withoutOwner: object[] }>('/api/governance/owners')).body.withoutOwner;
    expect(listed).toEqual([
      ...(await withoutOwner()).items.slice(0, 2),
      expect.objectContaining(row(draft, 1, since + HOUR)),
      expect.objectContaining({ domainId: 'dom_h_draft', waitingQuestions: 0 }),
      expect.objectContaining(row(none, 0, null)),
    ]);
  });

  test('are fewer by one that gets an owner who could act', async () => {
    const admin = await service.signInAs(PERSONA.governanceAdmin);
    const body = { principalId: PERSONA.legalOwner, domainId: 'dom_lonely_0' };
    const ids = async () => (await withoutOwner()).items.map(({ domainId }) => domainId);
    await admin.post('/api/governance/owners', { ...body, kind: 'steward' });
    expect(await ids()).toContain('dom_lonely_0');
    const { assignmentId } = (await admin.post<{ assignmentId: string }>('/api/governance/owners', body))
      .body;
    expect(await ids()).not.toContain('dom_lonely_0');
    await admin.post(`/api/governance/owners/${assignmentId}/end`);
    expect(await ids()).toContain('dom_lonely_0');
  });

  test('are fifty at most, and the answer says that there are more', async () => {
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, status, created_at, updated_at)
      select ${DEV}, d, d, 'approved', now(), now() from unnest(${DOMAINS.slice(4)}::text[]) as d`);
    const before = await withoutOwner();
    expect([before.items.length, before.truncated]).toEqual([50, true]);
    await database.inspect(sql`update domains set status = 'draft' where domain_id = 'dom_lonely_9'`);
    expect(await withoutOwner()).toEqual({ items: before.items, truncated: false });
    await database.inspect(sql`delete from domains where domain_id = any(${DOMAINS.slice(4)}::text[])`);
    await database.inspect(sql`update assets set status = 'deleted' where asset_id like 'ast_lonely_%'`);
  });
});

describe('the landscape', () => {
  test('counts each asset once in each of its domains, by its firmest type', async () => {
    const auditor = await service.signInAs(PERSONA.auditor);
    const cells = await landscapeOf(auditor);
    const counted = (domainId: string | null) =>
      cells.filter((cell) => cell.domainId === domainId).reduce((sum, { assets }) => sum + assets, 0);
    expect([counted('dom_finance'), counted('dom_human_resources'), counted(null)]).toEqual([2, 2, 1]);
    expect(cells.find((cell) => cell.domainId === null)).toMatchObject({
      domainName: null,
      informationTypeId: null,
      scopeName: 'Test site',
      provenance: 'unclassified',
    });
    expect(cells.map(({ assets }) => assets)).toEqual(
      cells.map(({ assets }) => assets).sort((a, b) => b - a),
    );
    expect(cells.filter((cell) => cell.provenance === 'confirmed')).toMatchObject([
      { domainName: 'Finance', informationTypeId: 'ift_invoices', assets: 1 },
    ]);
  });

  test('shows an owner their own domains and nothing that others have', async () => {
    const cells = await landscapeOf(owner);
    expect(new Set(cells.map(({ domainId }) => domainId))).toEqual(new Set(['dom_finance']));
    expect(cells.reduce((sum, { assets }) => sum + assets, 0)).toBe(2);
    const platform = await service.signInAs(PERSONA.platformAdmin);
    expect((await platform.get('/api/landscape')).status).toBe(403);
  });
});
