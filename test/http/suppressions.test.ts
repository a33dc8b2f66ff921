import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AiError } from '../../core/ai/provider.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { sweepSuppressions } from '../../core/suppressions/sweep-suppressions.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Rule = {
  suppressionId: string;
  status: string;
  needsApproval: boolean;
  fromVersion: number | null;
  untilVersion: number | null;
};
type Counts = Record<string, number | null>;
type NoEffect = { reason: string; message: string } | null;
type Created = { suppression: Rule | null; noEffect: NoEffect; dryRun: { noEffect: NoEffect } | null };
type Suppressed = { detectorId: string; removed: number; remaining: number; suppressionId: string | null };
type Signal = { detectorId: string; count: number };

const PATH = '/api/governance/suppressions';
const FINANCE = 'dom_finance';
const DAY_MS = 24 * 3_600_000;
/** The company's own account, and that of a supplier. */
const OWN_IBAN = 'DE15 7015 0000 0094 0634 18';
const SUPPLIER_IBAN = 'GB98 BARC 2071 4583 6083 87';
const INVOICE =
  'Invoice of the supplier\nPlease pay the amount due of this invoice within the payment terms. VAT is included.\n' +
  'The invoice number, the purchase order and the amount due must be stated with the payment of the invoice.\n';

/** Of no type of the taxonomy, so that its risk rests on the number alone. */
const MENU =
  'On Monday there is soup with bread, and on Tuesday there are noodles with tomatoes and cheese.\n' +
  'On Wednesday there is rice with beans. On Thursday there are potatoes with spinach, and on Friday there is fish.\n';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let governance: SignedIn;
let second: SignedIn;
let finance: SignedIn;
let scopes: Map<string, string>;
/** An invoice with the company's IBAN alone, and one with both. */
let own: string;
let both: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  second = await service.signInAs(PERSONA.secondGovernanceAdmin);
  finance = await service.signInAs(PERSONA.financeOwner);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources')).body;
  scopes = new Map(items.map(({ externalId, scopeId }) => [externalId, scopeId]));
  await add('Own.txt', `${INVOICE}IBAN: ${OWN_IBAN}`);
  await add('Both.txt', `${INVOICE}IBAN: ${OWN_IBAN}\nIBAN of the supplier: ${SUPPLIER_IBAN}`);
  const fileId = await add('Menu.txt', `${MENU}IBAN: ${OWN_IBAN}`);
  await mutate({ action: 'overshare', fileId });
  for (const site of ['site-finance', 'site-people'])
    await admin.post('/api/scans', { scopeId: scopes.get(site), kind: 'inventory' });
  await service.drain();
  own = await assetNamed('Own.txt');
  both = await assetNamed('Both.txt');
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const mutate = async (body: object) =>
  (
    await admin.post<{ fileId: string }>('/api/dev/fixture/mutate', {
      scopeExternalId: 'site-finance',
      ...body,
    })
  ).body.fileId;
const add = (name: string, content: string) => mutate({ action: 'add', name, content });
async function assetNamed(name: string): Promise<string> {
  const [row] = await database.inspect<{ asset_id: string }>(
    sql`select asset_id from assets where tenant_id = ${DEV} and name = ${name}`,
  );
  return row?.asset_id ?? expect.unreachable(name);
}
const expiresAt = (days = 30) => new Date(service.clock.now() + days * DAY_MS).toISOString();
const rule = (more: object) => ({
  ...{ detectorId: 'iban', reason: 'Our own account', expiresAt: expiresAt() },
  ...more,
});
const inScope = (more: object = {}, site = 'site-finance') =>
  rule({ kind: 'detector_in_scope', scopeId: scopes.get(site), ...more });
const ofValue = (value: string, more: object = {}) => rule({ kind: 'value', value, ...more });
const ask = (who: SignedIn, body: object) => who.post<Created>(PATH, body);
async function made(who: SignedIn, body: object, status: string): Promise<string> {
  const answer = await ask(who, body);
  expect(answer).toMatchObject({ status: 200, body: { suppression: { status }, dryRun: null } });
  await service.drain();
  return answer.body.suppression?.suppressionId ?? '';
}
async function tried(who: SignedIn, body: object): Promise<Counts> {
  const answer = await ask(who, { ...body, dryRun: true });
  expect(answer).toMatchObject({ status: 200, body: { suppression: null } });
  return answer.body.dryRun as unknown as Counts;
}
async function step(who: SignedIn, id: string, act: 'approve' | 'reject' | 'revoke') {
  const answer = await who.post<Rule>(`${PATH}/${id}/${act}`, {});
  await service.drain();
  return answer;
}
const suppressed = async (who: SignedIn, assetId: string) =>
  (await who.get<{ suppressedSignals: Suppressed[] }>(`/api/assets/${assetId}`)).body.suppressedSignals;

/** Everything that a rule may change, and the signals that it may not. */
const standing = async () => ({
  findings: await database.inspect<{ key: string }>(sql`
    select asset_id || kind as key, severity from findings
     where tenant_id = ${DEV} and status <> 'resolved' order by 1`),
  candidates: await database.inspect<{ key: string }>(sql`
    select asset_id || domain_id || information_type_id as key, band, confidence from candidates
     where tenant_id = ${DEV} and status = 'pending' order by 1`),
  counted: await database.inspect<{ asset_id: string }>(sql`
    select asset_id, signals from asset_suppressions where tenant_id = ${DEV} order by 1`),
});
const signals = () =>
  database.inspect<{ asset_id: string; signals: Signal[] }>(sql`
    select asset_id, features -> 'signals' as signals from asset_features where tenant_id = ${DEV} order by 1`);
const missing = (from: { key: string }[], to: { key: string }[]) => {
  const left = new Set(to.map(({ key }) => key));
  return from.filter(({ key }) => !left.has(key)).length;
};

describe('a rule for a domain of its author', () => {
  test('changes what its dry run tells, and no signal of a detector', async () => {
    const [before, found] = [await standing(), await signals()];
    const body = inScope({ domainId: FINANCE });
    const told = await tried(finance, body);
    expect(await standing()).toEqual(before);
    expect((await finance.get<List<Rule>>(PATH)).body.items).toEqual([]);
    expect(told.assetsAffected).toBeGreaterThan(10);
    expect(told.signalsRemoved).toBe(told.assetsAffected);

    const id = await made(finance, body, 'active');
    const after = await standing();
    expect(after.counted).toHaveLength(told.assetsAffected ?? -1);
    expect(missing(before.findings, after.findings)).toBe(told.findingsResolved);
    expect(missing(before.candidates, after.candidates)).toBe(told.candidatesWithdrawn);
    expect(missing(after.candidates, before.candidates)).toBe(told.candidatesAdded);
    expect(after.candidates).not.toEqual(before.candidates);
    expect(await signals()).toEqual(found);
    expect(await suppressed(finance, own)).toEqual([
      { detectorId: 'iban', removed: 1, remaining: 0, suppressionId: id },
    ]);

    expect(await step(finance, id, 'revoke')).toMatchObject({ status: 200, body: { status: 'revoked' } });
    expect(await standing()).toEqual(before);
    expect(await suppressed(finance, own)).toEqual([]);
  });

  test('has versions of its own, which tell nothing of rules of other domains', async () => {
    const versions = async (id: string) => {
      const { fromVersion, untilVersion } = (await finance.get<Rule>(`${PATH}/${id}`)).body;
      return [fromVersion, untilVersion];
    };
    for (const folder of ['First', 'Second']) {
      const id = await made(finance, inScope({ domainId: FINANCE, folder }), 'active');
      expect(await versions(id)).toEqual([1, null]);
      await step(finance, id, 'revoke');
      expect(await versions(id)).toEqual([1, 2]);
    }
  });

  test.each([
    ['of more than 1,000 characters', `a${'/'.repeat(100_000)}a`],
    ['of more bytes than an index holds', '界'.repeat(900)],
    ['that names none', '///'],
  ])('refuses a folder %s', async (_, folder) => {
    const answer = await ask(finance, inScope({ domainId: FINANCE, folder }));
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_failed' } });
  });

  test('is scored by a campaign that reads no source', async () => {
    const id = await made(finance, inScope({ domainId: FINANCE, folder: 'No such folder' }), 'active');
    expect((await standing()).counted).toEqual([]);
    await step(finance, id, 'revoke');
    const kinds = await database.inspect<{ kind: string }>(sql`
      select distinct u.kind from work_units u join campaigns c using (tenant_id, campaign_id)
       where c.tenant_id = ${DEV} and c.follows_decisions`);
    expect(kinds).toEqual([{ kind: 'rescore_asset' }]);
  });

  test('counts for content that is scanned later, without a further step', async () => {
    const id = await made(finance, inScope({ domainId: FINANCE }), 'active');
    await add('Later.txt', `${INVOICE}The account of the invoice. IBAN: ${OWN_IBAN}`);
    await admin.post('/api/scans', { scopeId: scopes.get('site-finance'), kind: 'delta' });
    await service.drain();
    expect(await suppressed(finance, await assetNamed('Later.txt'))).toMatchObject([{ suppressionId: id }]);
    await step(finance, id, 'revoke');
  });

  test('stays applied when its scope is scanned again, and scores nothing twice', async () => {
    const id = await made(finance, inScope({ domainId: FINANCE }), 'active');
    const after = await standing();
    const { body } = await admin.post<{ campaignId: string }>('/api/scans', {
      ...{ scopeId: scopes.get('site-finance'), kind: 'inventory' },
    });
    await service.drain();
    const scan = await admin.get<{ stageOutcomes: { stage: string; outcome: string }[] }>(
      `/api/scans/${body.campaignId}`,
    );
    const inferred = scan.body.stageOutcomes.filter(({ stage }) => stage === 'inference');
    expect(inferred).toMatchObject([{ outcome: 'cache_hit' }]);
    expect(await standing()).toEqual(after);
    await step(finance, id, 'revoke');
  });

  test('changes no asset that is also of another domain', async () => {
    await made(governance, inScope({ domainId: FINANCE }, 'site-people'), 'proposed').then((id) =>
      step(second, id, 'approve'),
    );
    const { counted } = await standing();
    const [other] = await database.inspect<{ count: number }>(sql`
      select count(*)::int from asset_features f join assets a using (tenant_id, asset_id)
       where a.tenant_id = ${DEV} and a.scope_id = ${scopes.get('site-people') ?? ''} and f.signal_kinds @> '{iban}'`);
    expect(other?.count).toBeGreaterThan(10);
    const foreign = await database.inspect(sql`
      select asset_id from candidates where tenant_id = ${DEV} and domain_id <> ${FINANCE} and status = 'pending'
         and asset_id = any(${counted.map(({ asset_id }) => asset_id)}::text[])`);
    expect(foreign).toEqual([]);
    expect(counted.length).toBeLessThan(other?.count ?? 0);
  });

  test.each([
    ['no domain', () => inScope(), 400],
    ['a domain of others', () => inScope({ domainId: 'dom_human_resources' }), 400],
    ['a scope of others', () => inScope({ domainId: FINANCE }, 'site-legal'), 404],
    ['an unknown detector', () => inScope({ domainId: FINANCE, detectorId: 'no_such' }), 400],
    ['a value without a letter or digit', () => ofValue(' - ', { domainId: FINANCE }), 400],
    ['an end in the past', () => inScope({ domainId: FINANCE, expiresAt: expiresAt(-1) }), 400],
    ['an end in two years', () => inScope({ domainId: FINANCE, expiresAt: expiresAt(730) }), 400],
  ])('is refused with %s', async (_, body, status) => {
    expect((await ask(finance, body())).status).toBe(status);
  });
});

describe('a rule that changes nothing says why', () => {
  /** The reason, by the dry run and by the rule that is then made and revoked. */
  async function reasons(who: SignedIn, body: object): Promise<(string | null)[]> {
    const { dryRun } = (await ask(who, { ...body, dryRun: true })).body;
    const answer = await ask(who, body);
    expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
    await service.drain();
    await step(who, answer.body.suppression?.suppressionId ?? '', 'revoke');
    return [dryRun?.noEffect?.reason ?? null, answer.body.noEffect?.reason ?? null];
  }

  test('if another domain governs its scope, and is refused', async () => {
    const path = `/api/sources/${scopes.get('site-finance')}/expectation`;
    const governed = async (domainId: string | null) =>
      expect((await governance.post(path, { domainId })).status).toBe(200);
    const rules = async () => (await governance.get<List<Rule>>(PATH)).body.items;
    const before = await rules();
    await governed('dom_legal');
    for (const folder of [undefined, 'Payments']) {
      const body = inScope({ domainId: FINANCE, folder });
      const refused = await ask(finance, body);
      expect(refused).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'scopeId', message: expect.stringContaining('Another domain governs') }] },
      });
      expect(refused.text).not.toMatch(/legal/i);
      expect(await tried(finance, body)).toMatchObject({
        ...{ assetsAffected: 0, noEffect: { reason: 'scope_of_another_domain' } },
      });
    }
    expect(await rules()).toEqual(before);
    // A rule of the whole tenant, or of the domain that governs the scope, changes assets in it.
    for (const domainId of [undefined, 'dom_legal']) {
      const answer = await ask(governance, inScope({ domainId }));
      expect(answer.status).toBe(200);
      await step(governance, answer.body.suppression?.suppressionId ?? '', 'revoke');
    }
    await governed(null);
    expect(await reasons(finance, inScope({ domainId: FINANCE }))).toEqual([null, null]);
  });

  test('if no asset has such finds', async () => {
    for (const body of [
      inScope({ domainId: FINANCE, folder: 'No such folder' }),
      ofValue('DE89 3704 0044 0532 0130 00', { domainId: FINANCE }),
    ])
      expect(await reasons(finance, body)).toEqual(['no_finds', 'no_finds']);
  });

  test('if the assets are of other domains', async () => {
    const body = inScope({ domainId: 'dom_legal' });
    expect(await reasons(governance, body)).toEqual(['not_of_this_domain', 'not_of_this_domain']);
  });

  test('if other rules have taken the finds already', async () => {
    const whole = await made(governance, inScope(), 'proposed');
    await step(second, whole, 'approve');
    const body = inScope({ domainId: FINANCE });
    expect(await reasons(finance, body)).toEqual(['suppressed_already', 'suppressed_already']);
    await step(second, whole, 'revoke');
  });

  test('and says nothing of values to readers without evidence', async () => {
    for (const value of [OWN_IBAN, 'DE89 3704 0044 0532 0130 00'])
      expect(await reasons(governance, ofValue(value))).toEqual([null, null]);
  });
});

describe('excerpts of a suppressed detector', () => {
  type Shown = { excerpts: { detectorId: string; text: string }[]; signals?: Signal[] };
  const question = async () => {
    const [row] = await database.inspect<{ id: string }>(sql`
      select candidate_id as id from candidates
       where tenant_id = ${DEV} and asset_id = ${own} and domain_id = ${FINANCE} and status in ('pending', 'confirmed')`);
    return `/api/review/candidates/${row?.id}`;
  };
  const ofIban = ({ excerpts }: Shown) => excerpts.filter(({ detectorId }) => detectorId === 'iban').length;
  const shown = async () => {
    const asset = (await finance.get<Shown>(`/api/assets/${own}`)).body;
    const candidate = (await finance.get<Shown>(await question())).body;
    return [
      ofIban(asset),
      ofIban(candidate),
      candidate.signals?.filter((each) => each.detectorId === 'iban').length,
    ];
  };

  test('are shown again when the rule is revoked', async () => {
    expect(await shown()).toEqual([1, 1, 1]);
    const id = await made(finance, inScope({ domainId: FINANCE }), 'active');
    expect(await shown()).toEqual([0, 0, 0]);
    await step(finance, id, 'revoke');
    expect(await shown()).toEqual([1, 1, 1]);
  });

  test('are shown while finds of other values count', async () => {
    const id = await made(finance, ofValue(OWN_IBAN, { domainId: FINANCE }), 'active');
    expect(await shown()).toEqual([0, 0, 0]);
    expect(ofIban((await finance.get<Shown>(`/api/assets/${both}`)).body)).toBeGreaterThan(0);
    await step(finance, id, 'revoke');
  });
});

describe('a rule for the whole tenant', () => {
  test('needs another person, in code and in the database', async () => {
    const id = await made(governance, ofValue(OWN_IBAN), 'proposed');
    expect(await suppressed(finance, own)).toEqual([]);
    for (const act of ['approve', 'reject'] as const) {
      const refused = await step(governance, id, act);
      expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } });
      const [last] = await database.inspect<{ record: string }>(sql`
        select record from audit_events where tenant_id = ${DEV} order by seq desc limit 1`);
      expect(JSON.parse(last?.record ?? '').event).toMatchObject({
        ...{ category: 'governance', type: 'suppression_self_approval_refused', target: { id } },
      });
    }
    const asService = (by: string) =>
      withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
        tx.execute(sql`
          update suppressions set status = 'active', from_version = 99, decided_by = ${by}, decided_at = now()
           where suppression_id = ${id}`),
      );
    await expect(asService(governance.principalId)).rejects.toThrow('suppressions_second_person');
    expect((await ask(governance, ofValue('de15701500000094063418'))).status).toBe(409);
    expect((await step(second, id, 'reject')).body.status).toBe('rejected');
    expect((await step(second, id, 'approve')).status).toBe(409);
  });

  test('is decided once when two people decide at once', async () => {
    const id = await made(governance, ofValue(OWN_IBAN), 'proposed');
    const answers = await Promise.all(
      (['approve', 'reject'] as const).map((act) => second.post(`${PATH}/${id}/${act}`, {})),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await step(governance, id, 'revoke');
  });

  test('about a value takes the hits of that value alone, and stores no value', async () => {
    const id = await made(governance, ofValue(OWN_IBAN.replaceAll(' ', '')), 'proposed');
    expect((await step(second, id, 'approve')).body.status).toBe('active');
    const taken = { detectorId: 'iban', removed: 1, suppressionId: null };
    expect(await suppressed(finance, own)).toEqual([{ ...taken, remaining: 0 }]);
    expect(await suppressed(finance, both)).toEqual([{ ...taken, remaining: 1 }]);
    expect(await suppressed(governance, both)).toMatchObject([{ suppressionId: id }]);
    const [stored] = await database.inspect<{ found: number }>(sql`
      select (select count(*) from suppressions s where s::text ~* 'de ?15 ?7015')
           + (select count(*) from audit_events e where e::text ~* 'de ?15 ?7015')
           + (select count(*) from asset_features f where f.features::text ~* 'de ?15 ?7015') as found`);
    expect(Number(stored?.found)).toBe(0);
    await step(governance, id, 'revoke');
  });

  test('about a value is found behind thousands of assets without it', async () => {
    await database.inspect(sql`
      with copied as (
        insert into assets
        select c.* from assets a, generate_series(1, 1100) as n,
               jsonb_populate_record(a, jsonb_build_object(
                 'asset_id', 'ast_' || to_char(n, 'FM00000000000000000000000000'), 'external_id', 'copy-' || n)) as c
         where a.tenant_id = ${DEV} and a.asset_id = ${own}
        returning tenant_id, asset_id
      )
      insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, excerpts, computed_at)
      select c.tenant_id, c.asset_id, f.features_key, f.features #- '{fingerprints,iban}', f.signal_kinds, f.excerpts, f.computed_at
        from copied c, asset_features f where f.tenant_id = ${DEV} and f.asset_id = ${own}`);
    const told = await tried(finance, ofValue(OWN_IBAN, { domainId: FINANCE }));
    expect(told.assetsAffected).toBeGreaterThan(1);
    const id = await made(finance, ofValue(OWN_IBAN, { domainId: FINANCE }), 'active');
    expect(await suppressed(finance, own)).toMatchObject([{ suppressionId: id }]);
    await step(finance, id, 'revoke');
    expect(await suppressed(finance, own)).toEqual([]);
    await database.inspect(sql`
      update assets set status = 'deleted' where tenant_id = ${DEV} and external_id like 'copy-%'`);
  });

  test('resolves the findings that rest on it, until it is revoked', async () => {
    const menu = await assetNamed('Menu.txt');
    const open = async () =>
      (
        await database.inspect<{ status: string }>(sql`
        select status from findings where tenant_id = ${DEV} and asset_id = ${menu} and kind = 'exposure'`)
      ).map(({ status }) => status);
    expect(await open()).toEqual([expect.stringMatching(/^(re)?open/)]);
    const told = await tried(governance, inScope());
    expect(told.findingsResolved).toBeGreaterThan(0);
    const before = await standing();
    const id = await made(governance, inScope(), 'proposed');
    expect((await second.post<Counts>(`${PATH}/${id}/dry-run`, {})).body).toEqual(told);
    await step(second, id, 'approve');
    expect(await open()).toEqual(['resolved']);
    expect(missing(before.findings, (await standing()).findings)).toBe(told.findingsResolved);
    await step(second, id, 'revoke');
    expect(await open()).toEqual(['reopened']);
  });

  test('keeps search and the analyst from finding what does not count', async () => {
    await add('Plain.txt', `${MENU}Guests pay to ${OWN_IBAN} in advance.`);
    const scanned = async () => {
      const scopeId = scopes.get('site-finance');
      expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
      await service.drain();
    };
    await scanned();
    const plain = await assetNamed('Plain.txt');
    /** Whether search finds the asset by the kind, which its text does not name, and the analyst the invoice. */
    const found = async () => {
      const listed = (await governance.get<List<{ assetId: string }>>('/api/assets?q=iban')).body.items;
      const question = { question: 'Which files contain an IBAN?' };
      const { body } = await finance.post<{ answer: { result: { rows: { assetId: string }[] } } }>(
        '/api/analyst/query',
        question,
      );
      return [
        listed.some(({ assetId }) => assetId === plain),
        body.answer.result.rows.some(({ assetId }) => assetId === own),
        body.answer.result.rows.some(({ assetId }) => assetId === both),
      ];
    };
    expect(await found()).toEqual([true, true, true]);
    const id = await made(governance, ofValue(OWN_IBAN), 'proposed');
    await step(second, id, 'approve');
    expect(await found()).toEqual([false, false, true]);
    await mutate({ action: 'request_resync' });
    await scanned();
    expect(await found()).toEqual([false, false, true]);
    await add('Staff.txt', `${MENU}Staff pay to ${OWN_IBAN}.`);
    await scanned();
    const later = await assetNamed('Staff.txt');
    const listed = (await governance.get<List<{ assetId: string }>>('/api/assets?q=iban')).body.items;
    expect(listed.some(({ assetId }) => assetId === later)).toBe(false);
    await step(second, id, 'revoke');
    expect(await found()).toEqual([true, true, true]);
  });

  test('ends at its time, and the signals count again', async () => {
    const before = await standing();
    const id = await made(governance, inScope({ expiresAt: expiresAt(1) }, 'site-people'), 'proposed');
    await step(second, id, 'approve');
    expect((await standing()).counted.length).toBeGreaterThan(before.counted.length);
    service.clock.advance(2 * DAY_MS);
    expect(await sweepSuppressions(service.runtime(), new AbortController().signal)).toBe(1);
    await service.drain();
    expect(await standing()).toEqual(before);
    const again = await service.signInAs(PERSONA.auditor);
    expect((await again.get<Rule>(`${PATH}/${id}`)).body).toMatchObject({ status: 'expired', endedBy: null });
    const { items } = (await again.get<List<object>>('/api/audit?category=governance')).body;
    expect(items[0]).toMatchObject({ type: 'suppression_expired', principalId: null, target: { id } });
  });
});

describe('a rule about a template', () => {
  test('reaches documents like its example, and no others', async () => {
    const owner = await service.signInAs(PERSONA.peopleOwner);
    const example = await assetNamed('Employment contract Anna Eriksen.docx');
    const more = { domainId: 'dom_human_resources', exampleAssetId: example };
    const before = await standing();
    const id = await made(owner, rule({ kind: 'template', ...more }), 'active');
    const names = await database.inspect<{ name: string }>(sql`
      select a.name from asset_suppressions x join assets a using (tenant_id, asset_id)
       where x.tenant_id = ${DEV} and x.suppressed @> ${sql.json([{ suppressionId: id }])}::jsonb`);
    expect(names.length).toBeGreaterThan(3);
    for (const { name } of names) expect(name).toMatch(/^Employment contract/);
    await step(owner, id, 'revoke');
    expect(await standing()).toEqual(before);
  });
});

test('the number of rules of a tenant has a bound, however many are asked for at once', async () => {
  await database.inspect(sql`
    insert into suppressions (tenant_id, suppression_id, kind, detector_id, fingerprint, reason, status, needs_approval,
                              proposed_by, proposed_at, expires_at)
    select ${DEV}, 'sup_many_' || n, 'value', 'iban', lpad(to_hex(n), 10, '0'), 'One of many', 'proposed', true,
           ${governance.principalId}, now(), now() + interval '10 days'
      from generate_series(1, 197 - (select count(*)::int from suppressions
                                      where tenant_id = ${DEV} and status in ('proposed', 'active'))) n`);
  const again = await service.signInAs(PERSONA.governanceAdmin);
  const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => ask(again, ofValue(`Value ${n}`))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, ...Array(6).fill(409)]);
  await database.inspect(sql`delete from suppressions where suppression_id like 'sup_many_%'`);
});

describe('while the AI provider does not answer', () => {
  beforeAll(async () => {
    // The session before has expired.
    finance = await service.signInAs(PERSONA.financeOwner);
    vi.spyOn(service.runtime().ai, 'embed').mockRejectedValue(new AiError('unavailable'));
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  test('a dry run is refused, and rules are made and ended all the same', async () => {
    const { body } = await ask(finance, inScope({ domainId: FINANCE, detectorId: 'credit_card' }));
    const id = body.suppression?.suppressionId ?? '';
    const refusal = {
      status: 422,
      body: { error: 'blocked_capability', message: expect.stringContaining('ai_unavailable') },
    };
    expect(await ask(finance, { ...inScope({ domainId: FINANCE }), dryRun: true })).toMatchObject(refusal);
    expect(await finance.post(`${PATH}/${id}/dry-run`, {})).toMatchObject(refusal);
    expect(await finance.post(`${PATH}/${id}/revoke`, {})).toMatchObject({ status: 200 });
  });

  test('a dry run that cannot be is refused before the provider is asked', async () => {
    const dryRun = true;
    expect((await ask(finance, inScope({ domainId: 'dom_legal', dryRun }))).status).toBe(400);
    const elsewhere = { ...inScope({ domainId: FINANCE, dryRun }), scopeId: 'scp_none' };
    expect((await ask(finance, elsewhere)).status).toBe(404);
  });

  test('a rule that is not there is not found', async () => {
    expect(await finance.post(`${PATH}/sup_missing/dry-run`, {})).toMatchObject({ status: 404 });
  });
});

describe('who sees a rule', () => {
  test('an owner of another domain meets it nowhere', async () => {
    const owner = await service.signInAs(PERSONA.financeOwner);
    const foreigner = await service.signInAs(PERSONA.peopleOwner);
    const id = await made(owner, inScope({ domainId: FINANCE }), 'active');
    expect((await foreigner.get(`${PATH}/${id}`)).status).toBe(404);
    for (const act of ['revoke', 'dry-run'])
      expect((await foreigner.post(`${PATH}/${id}/${act}`, {})).status, act).toBe(404);
    expect(
      (await foreigner.get<List<Rule>>(PATH)).body.items.map(({ suppressionId }) => suppressionId),
    ).not.toContain(id);
    expect((await owner.get<Rule>(`${PATH}/${id}`)).status).toBe(200);
    await step(owner, id, 'revoke');
  });

  test('a reader without evidence is told counts of a value in tens', async () => {
    const told = await tried(await service.signInAs(PERSONA.governanceAdmin), ofValue(OWN_IBAN));
    expect(told).toMatchObject({ assetsAffected: null, signalsRemoved: null, assetsExamined: null });
    const exact = await tried(
      await service.signInAs(PERSONA.financeOwner),
      ofValue(OWN_IBAN, { domainId: FINANCE }),
    );
    expect(exact).toMatchObject({
      assetsAffected: 3,
      signalsRemoved: 2,
      signalsReduced: 1,
      assetsToScanAgain: 0,
    });
  });

  test('a profile that keeps no evidence keeps no fingerprints', async () => {
    const again = await service.signInAs(PERSONA.governanceAdmin);
    await again.request('PATCH', '/api/onboarding/settings', {
      body: { dataHandlingProfile: 'metadata_only' },
    });
    expect((await ask(again, ofValue(OWN_IBAN))).status).toBe(409);
  });
});

test('an answer keeps no excerpts that its owner was not shown', async () => {
  type Detail = {
    answer: { evidence: { excerpts: { detectorId: string }[]; signals: Signal[] } | null } | null;
  };
  const [row] = await database.inspect<{ id: string }>(sql`
    select candidate_id as id from candidates
     where tenant_id = ${DEV} and asset_id = ${own} and domain_id = ${FINANCE} and status = 'pending' limit 1`);
  const path = `/api/review/candidates/${row?.id}`;
  const evidence = async () => {
    const { answer } = (await finance.get<Detail>(path)).body;
    const of = (found: { detectorId: string }[] = []) =>
      found.filter(({ detectorId }) => detectorId === 'iban').length;
    return [of(answer?.evidence?.excerpts), of(answer?.evidence?.signals)];
  };
  const id = await made(finance, inScope({ domainId: FINANCE }), 'active');
  expect((await finance.post(`${path}/decision`, { decision: 'mine' })).status).toBe(200);
  expect(await evidence()).toEqual([0, 0]);
  await step(finance, id, 'revoke');
  expect(await evidence()).toEqual([0, 0]);
});

test('a rule of one domain ends for an asset that people tie to another domain', async () => {
  const id = await made(finance, inScope({ domainId: FINANCE }), 'active');
  expect(await suppressed(finance, both)).toMatchObject([{ suppressionId: id }]);
  const questionOf = async (domainId: string) => {
    const [row] = await database.inspect<{ id: string }>(sql`
      select candidate_id as id from candidates
       where tenant_id = ${DEV} and asset_id = ${both} and domain_id = ${domainId} and status = 'pending' limit 1`);
    return `/api/review/candidates/${row?.id}/decision`;
  };
  const people = await service.signInAs(PERSONA.peopleOwner);
  const toPeople = { decision: 'another_domain', routedDomainId: 'dom_human_resources' };
  expect((await finance.post(await questionOf(FINANCE), toPeople)).status).toBe(200);
  expect((await people.post(await questionOf('dom_human_resources'), { decision: 'mine' })).status).toBe(200);
  await service.drain();
  expect(await suppressed(people, both)).toEqual([]);
  await step(finance, id, 'revoke');
});
