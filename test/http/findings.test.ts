import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { applyFixtureAction, type FixtureRequest } from '../../infra/local/fixture/fixture-action.ts';
import { createFixtureStore } from '../../infra/local/fixture/fixture-store.sql.ts';
import { CANARY } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Finding = {
  findingId: string;
  assetId: string;
  kind: string;
  severity: string;
  status: string;
  revision: number;
  openedAt: string;
  resolvedAt: string | null;
  acknowledgedBy: string | null;
  acknowledgeNote: string | null;
  acknowledgedDecisionId: string | null;
  notes: string;
};
type List<T> = { items: T[]; truncated: boolean };
type Asset = { assetId: string; riskSeverity: string | null };
type Detail = {
  classifications: { candidateId: string; domainId: string; status: string }[];
  clusters: { assets: List<Asset> }[];
  riskComponents: { name: string; severity: string; notes: string }[];
  findings: Finding[];
};

const SITE = 'site-people';
const RANK = ['critical', 'high', 'medium', 'low'];

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let auditor: SignedIn;
let owner: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  auditor = await service.signInAs(PERSONA.auditor);
  owner = await service.signInAs(PERSONA.peopleOwner);
  await admin.post('/api/sources/connect', {});
  await scan('inventory');
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

async function scan(kind: 'inventory' | 'delta') {
  const { items } = (await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources')).body;
  const scopeId = items.find((each) => each.externalId === SITE)?.scopeId;
  expect((await admin.post('/api/scans', { scopeId, kind })).status).toBe(200);
  await service.drain();
}
const findings = async (who: SignedIn, query = '') => {
  const { status, body } = await who.get<List<Finding>>(`/api/findings${query}`);
  expect(status).toBe(200);
  return body.items;
};
const detail = async (who: SignedIn, assetId: string) =>
  (await who.get<Detail>(`/api/assets/${assetId}`)).body;

/** Changes the asset at its source and lets a delta see it. */
async function atSource(assetId: string, request: FixtureRequest) {
  const [row] = await withTx(database.db, { tenantId: DEV, mode: 'read' }, (tx) =>
    tx.query<{ id: string }>(
      sql`select external_id as id from assets where tenant_id = ${DEV} and asset_id = ${assetId}`,
    ),
  );
  const at = new Date().toISOString();
  await createFixtureStore(database.db, DEV).update(SITE, row?.id ?? '', (scope, item) =>
    applyFixtureAction(scope, item, request, { at, newExternalId: 'unused' }),
  );
  await scan('delta');
}
const ofAsset = async (assetId: string) =>
  Object.fromEntries(
    (await findings(auditor, '?status=all'))
      .filter((each) => each.assetId === assetId)
      .map((each) => [each.kind, each]),
  );
/** An asset that an owner is asked about and that has no finding of this kind yet. */
async function quietAsset(kind: string) {
  const taken = new Set(
    (await findings(auditor, '?status=all')).filter((each) => each.kind === kind).map((each) => each.assetId),
  );
  for (const { assetId } of (await owner.get<List<Asset>>('/api/assets')).body.items) {
    const { classifications, clusters } = await detail(owner, assetId);
    const [first] = classifications;
    if (!taken.has(assetId) && first?.status === 'pending' && clusters.length === 0)
      return { assetId, candidateId: first.candidateId };
  }
  throw new Error('no such asset');
}

test('a scan leaves findings, the most severe first, and each asset says its risk', async () => {
  const listed = await findings(auditor);
  expect(listed.length).toBeGreaterThan(3);
  const ranks = listed.map(({ severity }) => RANK.indexOf(severity));
  expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  expect(new Set(listed.map(({ kind }) => kind)).size).toBeGreaterThan(1);
  for (const { assetId, findingId, severity, kind } of listed) {
    const asset = await detail(auditor, assetId);
    expect(asset.findings.map((each) => each.findingId)).toContain(findingId);
    expect(asset.riskComponents).toContainEqual(expect.objectContaining({ name: kind, severity }));
  }
  for (const severity of RANK) {
    const assets = (await auditor.get<List<Asset>>(`/api/assets?riskSeverity=${severity}`)).body.items;
    expect(assets.every((asset) => asset.riskSeverity === severity)).toBe(true);
    for (const finding of listed.filter((each) => each.severity === severity && severity === 'critical'))
      expect(assets.map(({ assetId }) => assetId)).toContain(finding.assetId);
  }
});

test('by asset the same findings are told, and of each asset how severe it is', async () => {
  for (const who of [auditor, owner]) {
    for (const query of ['', '?status=open', '?status=all']) {
      const listed = await findings(who, query);
      type ByAsset = { assetId: string; severity: string; counts: object; findings: Finding[] };
      const { body } = await who.get<List<ByAsset>>(`/api/findings/by-asset${query}`);
      expect(body.truncated).toBe(false);
      expect(body.items.length).toBeGreaterThan(1);
      expect(body.items).toMatchObject(
        [...Map.groupBy(listed, ({ assetId }) => assetId)].map(([assetId, of]) => ({
          assetId,
          assetName: expect.any(String),
          scopeName: 'People',
          severity: of[0]?.severity,
          counts: Object.fromEntries(
            RANK.map((severity) => [severity, of.filter((each) => each.severity === severity).length]),
          ),
          findings: of.map(({ findingId }) => ({ findingId })),
        })),
      );
    }
  }
  expect((await admin.get('/api/findings/by-asset')).status).toBe(403);
  expect((await auditor.get('/api/findings/by-asset?status=gone')).status).toBe(400);
});

test('owners see the findings on what they see; who may not read findings is refused', async () => {
  const visible = new Set(
    (await owner.get<List<Asset>>('/api/assets')).body.items.map(({ assetId }) => assetId),
  );
  const seen = await findings(owner);
  expect(seen.length).toBeGreaterThan(0);
  for (const { assetId } of seen) expect(visible).toContain(assetId);
  expect(seen.length).toBe((await findings(auditor)).filter(({ assetId }) => visible.has(assetId)).length);
  expect((await admin.get('/api/findings')).status).toBe(403);
  expect((await auditor.get('/api/findings?status=gone')).status).toBe(400);
});

test('a change of access opens a finding, its end resolves it, its return reopens it', async () => {
  const { assetId } = await quietAsset('exposure');
  await atSource(assetId, { action: 'overshare' });
  const opened = (await ofAsset(assetId)).exposure;
  expect(opened).toMatchObject({ status: 'open', resolvedAt: null, revision: 0 });
  await atSource(assetId, { action: 'restrict' });
  expect((await ofAsset(assetId)).exposure).toMatchObject({
    findingId: opened?.findingId,
    status: 'resolved',
  });
  expect((await findings(auditor)).map(({ findingId }) => findingId)).not.toContain(opened?.findingId);
  expect((await findings(auditor, '?status=resolved')).map(({ findingId }) => findingId)).toContain(
    opened?.findingId,
  );
  await atSource(assetId, { action: 'overshare' });
  expect((await ofAsset(assetId)).exposure).toMatchObject({
    status: 'reopened',
    revision: 2,
    openedAt: opened?.openedAt,
  });
  await atSource(assetId, { action: 'delete' });
  expect((await findings(auditor)).some((each) => each.assetId === assetId)).toBe(false);
});

test('an owner’s word weighs more than the model’s, at once', async () => {
  const { assetId } = await quietAsset('exposure');
  const content =
    'Payroll: gross salary, income tax, bonus and net pay of employees.\nIBAN DE75512108001245126199, net pay 3,180.55 EUR';
  await atSource(assetId, { action: 'edit', content });
  await atSource(assetId, { action: 'overshare' });
  const candidateId = (await detail(owner, assetId)).classifications[0]?.candidateId;
  const before = (await ofAsset(assetId)).exposure?.severity ?? '';
  const decide = (decision: string) =>
    owner.post(`/api/review/candidates/${candidateId}/decision`, { decision });
  expect((await decide('mine')).status).toBe(200);
  const confirmed = (await ofAsset(assetId)).exposure?.severity ?? '';
  expect(RANK.indexOf(confirmed)).toBeLessThan(RANK.indexOf(before));
  expect((await decide('mine_not_sensitive')).status).toBe(200);
  // It holds identifiers that are proven, and anyone may read them.
  expect((await ofAsset(assetId)).exposure).toMatchObject({
    status: 'acknowledged',
    acknowledgedBy: PERSONA.peopleOwner,
    acknowledgedDecisionId: expect.stringMatching(/^dec_/),
    notes: expect.stringContaining('although an owner has confirmed'),
  });
  expect((await detail(owner, assetId)).riskComponents).toMatchObject([{ name: 'exposure' }]);
  // The answer is revised, and what it acknowledged is open again.
  expect((await decide('mine')).status).toBe(200);
  expect((await ofAsset(assetId)).exposure).toMatchObject({
    status: 'reopened',
    acknowledgedBy: null,
    acknowledgedDecisionId: null,
  });
});

test('the catalog of labels is that of the source, the weakest first', async () => {
  const { body } = await auditor.get<List<{ name: string; rank: number }>>('/api/governance/labels');
  expect(body.items.map(({ name, rank }) => [rank, name])).toEqual([
    [0, 'Public'],
    [1, 'General'],
    [2, 'Confidential'],
    [3, 'Highly Confidential'],
  ]);
});

test('an acknowledgement ends when the finding resolves or worsens', async () => {
  const { assetId } = await quietAsset('exposure');
  await atSource(assetId, { action: 'overshare' });
  const opened = (await ofAsset(assetId)).exposure;
  const path = `/api/findings/${opened?.findingId}/acknowledge`;
  const body = { note: `${CANARY} knows`, revision: opened?.revision };
  expect((await owner.post(path, { revision: 7 })).status).toBe(409);
  expect((await owner.post(path, { note: '' })).status).toBe(400);
  expect((await auditor.post(path, body)).status).toBe(403);
  const [first, again] = [await owner.post<Finding>(path, body), await owner.post<Finding>(path, body)];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(first.body).toMatchObject({
    acknowledgedDecisionId: null,
    status: 'acknowledged',
    revision: 1,
    acknowledgedBy: PERSONA.peopleOwner,
    acknowledgeNote: `${CANARY} knows`,
  });
  expect(again.body).toEqual(first.body);
  expect((await owner.post(path, { note: 'something else' })).status).toBe(409);
  expect(await ofAsset(assetId)).toMatchObject({
    exposure: { status: 'acknowledged', acknowledgeNote: `${CANARY} knows` },
  });
  expect((await findings(auditor, '?status=acknowledged')).map((each) => each.findingId)).toContain(
    opened?.findingId,
  );
  const events = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${DEV} and record like '%finding_acknowledged%'`);
  expect(events).toHaveLength(1);
  expect(events[0]?.record).toContain(opened?.findingId);
  expect(events[0]?.record).not.toContain(CANARY);
  expect(service.logs.join('\n')).not.toContain(CANARY);

  await atSource(assetId, { action: 'restrict' });
  const cleared = { acknowledgedBy: null, acknowledgedAt: null, acknowledgeNote: null };
  expect((await ofAsset(assetId)).exposure).toMatchObject({ status: 'resolved', ...cleared });
  expect((await owner.post(path)).status).toBe(409);
  await atSource(assetId, { action: 'overshare' });
  expect((await ofAsset(assetId)).exposure).toMatchObject({ status: 'reopened', ...cleared });
  expect((await owner.post(path)).status).toBe(200);
});

test('a finding on what the owner does not see is as absent as one that does not exist', async () => {
  const stranger = await service.signInAs(PERSONA.financeOwner);
  const visible = new Set((await findings(stranger, '?status=all')).map((each) => each.findingId));
  const foreign = (await findings(owner)).find((each) => !visible.has(each.findingId));
  expect(foreign).toBeDefined();
  const [of, none] = [foreign?.findingId, 'fnd_none'].map((id) => `/api/findings/${id}/acknowledge`);
  const [answer, absent] = [await stranger.post(of ?? ''), await stranger.post(none ?? '')];
  expect([answer.status, answer.body]).toEqual([404, absent.body]);
});

test('two who acknowledge at once: one does, the other is told', async () => {
  const open = (await findings(owner)).find((each) => each.status === 'open');
  const path = `/api/findings/${open?.findingId}/acknowledge`;
  const answers = await Promise.all(['a', 'b'].map((note) => owner.post(path, { note })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('the list has what is not resolved, and with status all the rest too', async () => {
  const stored = async (statuses: readonly string[]) =>
    (
      await database.inspect<{ id: string }>(sql`
        select finding_id as id from findings where tenant_id = ${DEV} and status = any(${statuses}::text[])`)
    ).map(({ id }) => id);
  const listed = async (query: string) => (await findings(auditor, query)).map(({ findingId }) => findingId);
  const unresolved = await stored(['open', 'acknowledged', 'reopened']);
  const resolved = await stored(['resolved']);
  expect(Math.min(unresolved.length, resolved.length)).toBeGreaterThan(0);
  expect((await listed('')).sort()).toEqual(unresolved.sort());
  expect((await listed('?status=all')).sort()).toEqual([...unresolved, ...resolved].sort());
});
