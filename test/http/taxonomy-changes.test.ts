import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Domain = {
  id: string;
  name: string;
  description: string;
  status: string;
  revision: number;
  approvedBy: string | null;
  approvedAt: string | null;
  effect?: string;
};
type InformationType = Domain & {
  domainId: string;
  sensitivity: string;
  indicators: { detectors: string[]; keywords: string[] };
};

const DOMAINS = '/api/governance/domains';
const TYPES = '/api/governance/information-types';

let database: TestDatabase;
let service: TestService;
let governance: SignedIn;
let second: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  second = await service.signInAs(PERSONA.secondGovernanceAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const made = async <T>(path: string, body: object) => {
  const answer = await governance.post<T>(path, body);
  expect([answer.status, answer.body]).toMatchObject([200, {}]);
  return answer.body;
};
let drafts = 0;
const draftDomain = (more: object = {}) => made<Domain>(DOMAINS, { name: `Domain ${drafts++}`, ...more });
const draftType = (domainId: string, more: object = {}) =>
  made<InformationType>(TYPES, { domainId, name: `Type ${drafts++}`, ...more });
const approve = <T>(path: string, id: string, body: object = {}, who = second) =>
  who.post<T>(`${path}/${id}/approve`, body);
const listed = async () =>
  (
    await governance.get<{ items: (Domain & { informationTypes: InformationType[] })[] }>(
      '/api/governance/taxonomy',
    )
  ).body.items;
const audited = async (id: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and category = 'governance' and record like ${`%${id}%`}
       order by seq`)
  ).map(({ record }) => {
    const { type, principalId, details } = JSON.parse(record).event;
    return { type, principalId, details };
  });

test('of two changes of one revision at once, one is made and the other is a conflict', async () => {
  const { id: domainId } = await draftDomain();
  for (const [path, drafted] of [
    [DOMAINS, () => draftDomain()],
    [TYPES, () => draftType(domainId)],
  ] as const)
    for (let round = 0; round < 5; round++) {
      const { id, revision } = await drafted();
      const both = await Promise.all(
        [governance, second].map((who, n) =>
          who.patch(`${path}/${id}`, { revision, name: `Name ${drafts} ${n}` }),
        ),
      );
      expect(both.map(({ status }) => status).sort(), path).toEqual([200, 409]);
    }
  const settings = '/api/onboarding/settings';
  const { configVersion } = (await governance.get<{ configVersion: number }>(settings)).body;
  const both = await Promise.all(
    ['enhanced_evidence', 'metadata_only'].map((dataHandlingProfile) =>
      governance.patch(settings, { dataHandlingProfile, configVersion }),
    ),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

describe('a domain', () => {
  test('is drafted, changed and approved by named people, and audited without its words', async () => {
    const drafted = await draftDomain({ name: 'Patents', description: 'Inventions.' });
    expect(drafted).toMatchObject({
      ...{ name: 'Patents', description: 'Inventions.', inclusion: '', status: 'draft', origin: 'manual' },
      ...{
        provider: null,
        createdBy: PERSONA.governanceAdmin,
        approvedBy: null,
        approvedAt: null,
        revision: 1,
      },
    });
    const changed = await governance.patch<Domain>(`${DOMAINS}/${drafted.id}`, {
      inclusion: 'Filings.',
      revision: 1,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { inclusion: 'Filings.', revision: 2, effect: 'none' },
    });
    const approved = await approve<Domain>(DOMAINS, drafted.id, { revision: 2 });
    expect(approved).toMatchObject({
      status: 200,
      body: {
        ...{
          status: 'approved',
          approvedBy: PERSONA.secondGovernanceAdmin,
          createdBy: PERSONA.governanceAdmin,
        },
        ...{ revision: 3, effect: 'next_scan' },
      },
    });
    const { effect: _, ...stored } = approved.body;
    expect((await listed()).find(({ id }) => id === drafted.id)).toMatchObject(stored);
    expect(await audited(drafted.id)).toEqual([
      { type: 'domain_drafted', principalId: PERSONA.governanceAdmin, details: {} },
      {
        type: 'domain_changed',
        principalId: PERSONA.governanceAdmin,
        details: { fields: 'inclusion', status: 'draft' },
      },
      {
        type: 'domain_approved',
        principalId: PERSONA.secondGovernanceAdmin,
        details: { origin: 'manual', revision: 2 },
      },
    ]);
  });

  test('has a name that is what it looks like, and no other that looks the same', async () => {
    const deceptive = [
      'a\nb',
      'a\u0007b',
      'a\u2028b',
      'Pay\u202eroll',
      'Pay\u2066roll',
      'Pay\u200broll',
      '\ufeff',
    ];
    for (const name of deceptive) expect((await governance.post(DOMAINS, { name })).status, name).toBe(400);
    // A formula, another script and an emoji are names all the same.
    for (const name of ['Recherche Café', '=SUM(A1)', 'משאבי אנוש', '👩\u200d💼 Staff'])
      expect((await draftDomain({ name: ` ${name} ` })).name).toBe(name);
    for (const name of ['Recherche Cafe\u0301', 'Recherche  Café', 'Recherche\u00a0Café'])
      expect(await governance.post(DOMAINS, { name }), name).toMatchObject({ status: 409 });
  });

  test('approved again stays as it is, whoever asks, and is not audited again', async () => {
    const { id } = await draftDomain();
    const first = await approve<Domain>(DOMAINS, id);
    const again = await approve<Domain>(DOMAINS, id, {}, governance);
    expect(again).toMatchObject({ status: 200, body: { ...first.body, effect: 'none' } });
    expect((await audited(id)).filter(({ type }) => type === 'domain_approved')).toHaveLength(1);
    const { id: other } = await draftDomain();
    const answers = await Promise.all(
      [governance, second, governance, second].map((who) => approve(DOMAINS, other, {}, who)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await audited(other)).filter(({ type }) => type === 'domain_approved')).toHaveLength(1);
  });

  test('that is approved is changed and stays approved; the same again changes nothing', async () => {
    const { id } = await draftDomain();
    const { body: approved } = await approve<Domain>(DOMAINS, id);
    const path = `${DOMAINS}/${id}`;
    const changed = await governance.patch<Domain>(path, { description: 'Other words.' });
    expect(changed.body).toMatchObject({
      ...{ status: 'approved', approvedBy: approved.approvedBy, approvedAt: approved.approvedAt },
      ...{ revision: approved.revision + 1, effect: 'next_scan' },
    });
    const same = await governance.patch<Domain>(path, { description: 'Other words.' });
    expect(same).toMatchObject({ status: 200, body: { revision: approved.revision + 1, effect: 'none' } });
    expect((await governance.patch<Domain>(path, {})).status).toBe(200);
    expect((await audited(id)).filter(({ type }) => type === 'domain_changed')).toHaveLength(1);
  });

  test('keeps a name of its own, whatever the case', async () => {
    const { id } = await draftDomain();
    for (const name of ['finance', ' FINANCE ']) {
      expect(await governance.post(DOMAINS, { name })).toMatchObject({
        status: 409,
        body: { error: 'conflict' },
      });
      expect(await governance.patch(`${DOMAINS}/${id}`, { name })).toMatchObject({
        status: 409,
        body: { error: 'conflict' },
      });
    }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => governance.post(DOMAINS, { name: 'At once' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await governance.patch<Domain>(`${DOMAINS}/${id}`, { name: 'Renamed' })).body.name).toBe(
      'Renamed',
    );
    expect((await governance.patch<Domain>(`${DOMAINS}/${id}`, { name: 'RENAMED' })).body.name).toBe(
      'RENAMED',
    );
  });

  test('that has changed since somebody looked is neither changed nor approved', async () => {
    const { id } = await draftDomain();
    await governance.patch(`${DOMAINS}/${id}`, { description: 'Meanwhile.' });
    expect((await second.patch(`${DOMAINS}/${id}`, { description: 'Late.', revision: 1 })).status).toBe(409);
    expect((await approve(DOMAINS, id, { revision: 1 })).status).toBe(409);
    expect((await listed()).find((each) => each.id === id)).toMatchObject({
      description: 'Meanwhile.',
      status: 'draft',
    });
    const edits = await Promise.all(
      ['A', 'B', 'C'].map((description) =>
        governance.patch(`${DOMAINS}/${id}`, { description, revision: 2 }),
      ),
    );
    expect(edits.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe('an information type', () => {
  test('comes after its domain', async () => {
    const domain = await draftDomain();
    const type = await draftType(domain.id, { definition: 'Filings.' });
    expect(type).toMatchObject({
      domainId: domain.id,
      status: 'draft',
      origin: 'manual',
      sensitivity: 'internal',
    });
    const early = await approve<{ error: string; message: string }>(TYPES, type.id);
    expect(early).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(early.body.message).toContain('Approve it first');
    await approve(DOMAINS, domain.id);
    expect((await listed()).find(({ id }) => id === domain.id)?.informationTypes).toMatchObject([
      { status: 'draft' },
    ]);
    const approved = await approve<InformationType>(TYPES, type.id);
    expect(approved).toMatchObject({
      status: 200,
      body: { status: 'approved', approvedBy: PERSONA.secondGovernanceAdmin, effect: 'next_scan' },
    });
    expect(await approve<InformationType>(TYPES, type.id, {}, governance)).toMatchObject({
      status: 200,
      body: { ...approved.body, effect: 'none' },
    });
    expect((await audited(type.id)).map((event) => event.type)).toEqual([
      'information_type_drafted',
      'information_type_approved',
    ]);
  });

  test('says of each change whether inference reads it', async () => {
    const domain = await draftDomain();
    const { id } = await draftType(domain.id, { indicators: { detectors: ['iban'], keywords: ['Patent'] } });
    const change = async (body: object) =>
      (await governance.patch<InformationType>(`${TYPES}/${id}`, body)).body;
    expect(await change({ definition: 'A draft.' })).toMatchObject({ revision: 2, effect: 'none' });
    await approve(DOMAINS, domain.id);
    await approve(TYPES, id);
    expect(await change({ sensitivityRationale: 'Secret.', expectedLocationNote: 'Legal.' })).toMatchObject({
      ...{ status: 'approved', sensitivityRationale: 'Secret.', revision: 4, effect: 'none' },
    });
    expect(await change({ sensitivity: 'restricted' })).toMatchObject({ revision: 5, effect: 'next_scan' });
    expect(await change({ indicators: { keywords: ['claim', 'Prior Art'] } })).toMatchObject({
      indicators: { detectors: ['iban'], keywords: ['claim', 'prior art'] },
      ...{ revision: 6, effect: 'next_scan' },
    });
    expect(await change({ indicators: { detectors: ['iban'] } })).toMatchObject({
      revision: 6,
      effect: 'none',
    });
    expect((await audited(id)).flatMap(({ details }) => details.fields ?? [])).toEqual([
      'definition',
      'sensitivityRationale.expectedLocationNote',
      'sensitivity',
      'indicators',
    ]);
  });

  test('names detectors that there are, those that the tenant declared included', async () => {
    const { id: domainId } = await draftDomain();
    const { id } = await draftType(domainId);
    const badge = {
      title: 'Badge',
      pattern: 'NW-[0-9]{5}',
      examples: { hits: ['NW-10442'], misses: ['NW-1'] },
    };
    const { body: own } = await governance.post<{ id: string }>('/api/governance/detectors', badge);
    const indicators = { detectors: ['iban', own.id], keywords: [] };
    expect(await governance.patch(`${TYPES}/${id}`, { indicators })).toMatchObject({
      status: 200,
      body: { indicators },
    });
    const invented = { detectors: ['iban', 'invented'], keywords: [] };
    for (const answer of [
      await governance.patch(`${TYPES}/${id}`, { indicators: invented }),
      await governance.post(TYPES, { domainId, name: 'Other', indicators: invented }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: 'indicators.detectors' }] } });
  });

  test('keeps a name of its own within its domain', async () => {
    const [one, other] = [await draftDomain(), await draftDomain()];
    const { id } = await draftType(one.id, { name: 'Filings' });
    expect((await governance.post(TYPES, { domainId: one.id, name: 'filings' })).status).toBe(409);
    expect((await governance.post(TYPES, { domainId: other.id, name: 'filings' })).status).toBe(200);
    await draftType(one.id, { name: 'Searches' });
    expect((await governance.patch(`${TYPES}/${id}`, { name: 'SEARCHES' })).status).toBe(409);
    expect(await governance.post(TYPES, { domainId: 'dom_unknown', name: 'x' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'domainId' }] },
    });
  });
});

describe('the rest of the world', () => {
  test('bodies are bounded, and what is not there is not found', async () => {
    const { id } = await draftDomain();
    const type = await draftType(id);
    for (const [path, body] of [
      [`${DOMAINS}/${id}`, { name: '' }],
      [`${DOMAINS}/${id}`, { description: 'x'.repeat(2_001) }],
      [`${DOMAINS}/${id}`, { status: 'approved' }],
      [`${TYPES}/${type.id}`, { sensitivity: 'secret' }],
      [`${TYPES}/${type.id}`, { domainId: 'dom_finance' }],
      [`${TYPES}/${type.id}`, { indicators: { keywords: Array(201).fill('x') } }],
      [`${TYPES}/${type.id}`, { indicators: { keywords: ['x'.repeat(61)] } }],
    ] as const)
      expect((await governance.patch(path, body)).status, JSON.stringify(body).slice(0, 50)).toBe(400);
    for (const path of [`${DOMAINS}/none`, `${TYPES}/none`]) {
      expect((await governance.patch(path, { name: 'x' })).status).toBe(404);
      expect((await governance.post(`${path}/approve`)).status).toBe(404);
    }
  });

  test('nobody but a governance admin writes or approves, and each in their own tenant', async () => {
    const { id } = await draftDomain();
    const type = await draftType(id);
    const calls = (who: SignedIn) =>
      Promise.all([
        who.post(DOMAINS, { name: 'Theirs' }),
        who.patch(`${DOMAINS}/${id}`, { name: 'Theirs' }),
        who.post(`${DOMAINS}/${id}/approve`),
        who.post(TYPES, { domainId: id, name: 'Theirs' }),
        who.patch(`${TYPES}/${type.id}`, { name: 'Theirs' }),
        who.post(`${TYPES}/${type.id}/approve`),
      ]);
    for (const persona of [PERSONA.platformAdmin, PERSONA.financeOwner, PERSONA.approver, PERSONA.auditor]) {
      const answers = await calls(await service.signInAs(persona));
      expect(
        answers.map(({ status }) => status),
        persona,
      ).toEqual([403, 403, 403, 403, 403, 403]);
    }
    const foreign = await calls(await service.signInAs(inOther(PERSONA.governanceAdmin)));
    expect(foreign.map(({ status }) => status)).toEqual([200, 404, 404, 400, 404, 404]);
    expect((await listed()).find((each) => each.id === id)).toMatchObject({ status: 'draft', revision: 1 });
  });
});
