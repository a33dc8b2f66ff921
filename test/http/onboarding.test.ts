import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { answerJson, type ModelService, startModelService } from '../support/model-service.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Fault = { error: string; message?: string; issues?: { path: string; message: string }[] };
type Section = { anchor: string; heading: string; level: number; start: number; end: number };
type Uploaded = { documentId: string; version: number; created: boolean; sections: Section[] };
type Policy = {
  documentId: string;
  title: string;
  filename: string;
  version: number;
  sections: Section[];
  text?: string;
};
type Generated = {
  provider: string;
  model: string;
  mode: string;
  note: string;
  created: {
    domains: { id: string; name: string; informationTypes: number; regulatoryMappings: number }[];
    informationTypes: number;
    regulatoryMappings: number;
  };
  similar: { domainId: string; name: string; similarTo: { domainId: string; name: string }[] }[];
  skipped: { name: string; reason: string }[];
};
type Taxonomy = List<{
  id: string;
  name: string;
  status: string;
  origin: string;
  provider: string | null;
  informationTypes: { status: string; origin: string }[];
  regulatoryMappings: { draft: number; approved: number };
  similarTo: { domainId: string; name: string }[];
}>;
type Mapping = {
  domainId: string;
  citation: { documentId: string; version: number; anchor: string } | null;
  status: string;
};
type Progress = {
  steps: { step: string; state: string; counts: Record<string, number> }[];
  nextStep: { step: string } | null;
};

const PROFILE = {
  name: 'Northwind Care',
  industries: ['Hospitals'],
  geographies: ['Germany', 'US-CA'],
  description: 'Clinics and their laboratories.',
};
const PROFILE_PATH = '/api/onboarding/profile';
const POLICIES = '/api/onboarding/policy-documents';
const GENERATE = '/api/onboarding/generate-taxonomy';
const PRIVACY =
  '# Privacy\n\n## 1 Scope\nAll records of a patient.\n\n## 2 Rules\nThe GDPR applies to every patient.\n';

let database: TestDatabase;
let service: TestService;
let platform: SignedIn;
let governance: SignedIn;
let owner: SignedIn;
let auditor: SignedIn;
let foreign: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  await database.inspect(sql`delete from organization_profiles`);
  service = await startService(database);
  platform = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  owner = await service.signInAs(PERSONA.financeOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const events = async (type: string) =>
  (
    await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and record like ${`%"type":"${type}"%`} order by seq`)
  ).map(({ record }) => JSON.parse(record).event);
const upload = async (body: object, status = 200) => {
  const answer = await governance.post<Uploaded>(POLICIES, body);
  expect(answer.status).toBe(status);
  return answer.body;
};
const progress = async () => (await governance.get<Progress>('/api/onboarding/progress')).body;

describe('the profile', () => {
  test('is not there at first, and a taxonomy is not drafted without it', async () => {
    expect(await governance.get<Fault>(PROFILE_PATH)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
    const { status, body } = await governance.post<Fault>(GENERATE);
    expect(status).toBe(400);
    expect(body.issues?.[0]?.message).toContain('POST /api/onboarding/profile');
    expect((await progress()).nextStep?.step).toBe('profile');
  });

  test('is saved once and changed after that, audited without a word of it', async () => {
    const saved = await platform.post<{ profileId: string }>(PROFILE_PATH, { name: 'Draft' });
    expect(saved.status).toBe(200);
    const again = await governance.post<{ profileId: string }>(PROFILE_PATH, PROFILE);
    expect(again.body).toEqual(saved.body);
    expect((await auditor.get(PROFILE_PATH)).body).toMatchObject({
      ...PROFILE,
      ...saved.body,
      updatedBy: PERSONA.governanceAdmin,
    });
    const audited = await events('organization_profile_saved');
    expect(audited).toHaveLength(2);
    expect(audited[1]).toMatchObject({
      category: 'governance',
      details: { fields: 'name.industries.geographies.description', industries: 1, geographies: 2 },
    });
    expect(JSON.stringify(audited)).not.toMatch(/Northwind|Hospitals|Germany/);
    expect((await foreign.get(PROFILE_PATH)).status).toBe(404);
  });

  test('keeps what a body leaves out, and takes what is empty for what it is', async () => {
    const shown = async () => (await auditor.get<Record<string, unknown>>(PROFILE_PATH)).body;
    const { profileId } = await shown();
    const save = async (body: object, who = governance) => {
      const saved = await who.post<{ profileId: string }>(PROFILE_PATH, body);
      expect([saved.status, saved.body]).toEqual([200, { profileId }]);
      return shown();
    };
    for (const part of [
      { name: 'Northwind' },
      { industries: ['Hospitals', 'Laboratories'] },
      { geographies: [] },
      { description: '' },
      { industries: [] },
    ]) {
      const before = await shown();
      expect(await save(part, platform)).toEqual({
        ...before,
        ...part,
        ...{ updatedAt: expect.any(String), updatedBy: PERSONA.platformAdmin },
      });
    }
    expect((await events('organization_profile_saved')).at(-1)?.details).toEqual({
      ...{ fields: 'industries', industries: 0, geographies: 0 },
    });
    expect(await save(PROFILE)).toMatchObject(PROFILE);
    // Parts that are saved at once do not undo each other.
    await Promise.all([save({ name: 'Northwind Care GmbH' }), save({ description: 'Clinics.' })]);
    expect(await shown()).toMatchObject({ name: 'Northwind Care GmbH', description: 'Clinics.' });
    await save(PROFILE);
  });

  test('needs a name the first time', async () => {
    const { status, body } = await foreign.post<Fault>(PROFILE_PATH, { industries: ['Hospitals'] });
    expect([status, body.issues?.map(({ path }) => path)]).toEqual([400, ['name']]);
    expect((await foreign.get(PROFILE_PATH)).status).toBe(404);
  });

  test('is bounded', async () => {
    for (const odd of [
      { ...PROFILE, name: ' ' },
      { ...PROFILE, name: 'x'.repeat(201) },
      { ...PROFILE, industries: Array(21).fill('x') },
      { ...PROFILE, geographies: ['x'.repeat(101)] },
      { ...PROFILE, description: 'x'.repeat(4_001) },
      { ...PROFILE, industries: 'Hospitals' },
      { name: null },
      { ...PROFILE, extra: 1 },
    ]) {
      expect((await governance.post(PROFILE_PATH, odd)).status, JSON.stringify(odd).slice(0, 60)).toBe(400);
    }
  });
});

describe('policy documents', () => {
  test('get sections with anchors, which the list shows without the text', async () => {
    const uploaded = await upload({ title: 'Privacy policy', filename: 'privacy.md', text: PRIVACY });
    expect(uploaded).toMatchObject({ version: 1, created: true });
    expect(uploaded.sections.map(({ anchor, level }) => [anchor, level])).toEqual([
      ['privacy', 1],
      ['1', 2],
      ['2', 2],
    ]);
    const { body } = await auditor.get<List<Policy>>(POLICIES);
    expect(body).toMatchObject({
      items: [
        { documentId: uploaded.documentId, title: 'Privacy policy', version: 1, sections: uploaded.sections },
      ],
      truncated: false,
    });
    expect(JSON.stringify(body)).not.toContain('every patient');
    const read = await auditor.get<Policy>(`${POLICIES}/${uploaded.documentId}`);
    expect(read.body.text).toBe(PRIVACY);
    const { start, end } = uploaded.sections[2] ?? { start: 0, end: 0 };
    expect(read.body.text?.slice(start, end)).toBe('## 2 Rules\nThe GDPR applies to every patient.\n');
    const [audited] = await events('policy_document_uploaded');
    expect(audited).toMatchObject({
      target: { id: uploaded.documentId },
      details: { version: 1, sections: 3 },
    });
    expect(JSON.stringify(audited)).not.toMatch(/privacy/i);
  });

  test('documents of one title are versions; a repeat is none; an old one stays', async () => {
    const again = await upload({ title: 'Privacy policy', filename: 'privacy.md', text: PRIVACY });
    expect(again).toMatchObject({ version: 1, created: false });
    const text = `# Introduction\n\nNew.\n\n${PRIVACY}`;
    const next = await upload({ title: 'PRIVACY POLICY', filename: 'privacy-2.md', text });
    expect(next).toMatchObject({ documentId: again.documentId, version: 2, created: true });
    expect(next.sections.map(({ anchor }) => anchor)).toEqual(['introduction', 'privacy', '1', '2']);
    const of = async (query: string) =>
      (await governance.get<Policy & { newestVersion: number }>(`${POLICIES}/${next.documentId}${query}`))
        .body;
    expect(await of('')).toMatchObject({ version: 2, newestVersion: 2, filename: 'privacy-2.md', text });
    expect(await of('?version=1')).toMatchObject({ version: 1, newestVersion: 2, text: PRIVACY });
    expect((await governance.get(`${POLICIES}/${next.documentId}?version=3`)).status).toBe(404);
    expect((await auditor.get<List<Policy>>(POLICIES)).body.items).toHaveLength(1);
  });

  test('uploaded at once under one title are one document with as many versions', async () => {
    const uploads = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        upload({ title: 'Retention', filename: 'retention.md', text: `# Retention\n\nVersion ${i}` }),
      ),
    );
    expect(new Set(uploads.map(({ documentId }) => documentId)).size).toBe(1);
    expect(uploads.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('are bounded: in their text, and in their number', async () => {
    const most = { title: 'Long', filename: 'long.txt', text: 'é'.repeat(512 * 1024) };
    await upload(most);
    await upload({ ...most, text: `${most.text}é` }, 400);
    await upload({ ...most, text: ' \n ' }, 400);
    await upload({ ...most, title: '' }, 400);
    await database.inspect(sql`
      insert into policy_documents (tenant_id, document_id, title, version, created_at, updated_at)
      select ${DEV}, 'pol_' || n, 'Filler ' || n, 1, now(), now() from generate_series(1, 47) as n`);
    await upload({ ...most, title: 'One too many' }, 409);
    await upload({ ...most, text: 'The next version of one that is there.' });
    await database.inspect(sql`delete from policy_documents where document_id ~ '^pol_[0-9]+$'`);
  });

  test('are read by those who may, in their own tenant', async () => {
    const { items } = (await auditor.get<List<Policy>>(POLICIES)).body;
    expect((await foreign.get<List<Policy>>(POLICIES)).body.items).toEqual([]);
    expect((await foreign.get(`${POLICIES}/${items[0]?.documentId}`)).status).toBe(404);
    for (const who of [platform, owner]) expect((await who.get(POLICIES)).status).toBe(403);
    for (const who of [platform, owner, auditor])
      expect((await who.post(POLICIES, { title: 'x', filename: 'x', text: 'x' })).status).toBe(403);
  });
});

describe('generating a taxonomy', () => {
  let generated: Generated;
  const taxonomy = async (who = governance) =>
    (await who.get<Taxonomy>('/api/governance/taxonomy')).body.items;

  test('drafts from the profile and the policies, honest about who drafted', async () => {
    const answer = await governance.post<Generated>(GENERATE);
    expect(answer.status).toBe(200);
    generated = answer.body;
    expect(generated).toMatchObject({ provider: 'mock', model: 'business-catalogue-v1', mode: 'mock' });
    expect(generated.note).toMatch(/drafts/);
    const created = generated.created.domains.map(({ name }) => name);
    expect(created).toContain('Patient Care');
    expect(created).not.toContain('Insurance');
    // The seeded tenant has these two.
    expect(generated.skipped).toEqual([
      { name: 'Human Resources', reason: 'exists' },
      { name: 'Customers and Sales', reason: 'exists' },
    ]);
    const drafts = (await taxonomy()).filter(({ origin }) => origin === 'generated');
    expect(drafts.map(({ id }) => id).sort()).toEqual(generated.created.domains.map(({ id }) => id).sort());
    for (const draft of drafts) {
      const of = generated.created.domains.find(({ id }) => id === draft.id);
      expect(draft).toMatchObject({
        ...{ status: 'draft', provider: 'mock', model: generated.model, createdBy: PERSONA.governanceAdmin },
        ...{ approvedBy: null, regulatoryMappings: { draft: of?.regulatoryMappings, approved: 0 } },
      });
      expect(draft.informationTypes).toHaveLength(of?.informationTypes ?? -1);
      for (const type of draft.informationTypes)
        expect(type).toMatchObject({ status: 'draft', origin: 'generated' });
    }
    expect(await events('taxonomy_generated')).toMatchObject([
      {
        category: 'governance',
        details: {
          ...{ provider: 'mock', mode: 'mock', model: 'business-catalogue-v1' },
          domains: generated.created.domains.length,
          informationTypes: generated.created.informationTypes,
        },
      },
    ]);
  });

  test('tells drafts whose names are like others, when made and when listed', async () => {
    // Finance is seeded; the catalogue drafts the others.
    const similar = Object.fromEntries(generated.similar.map((each) => [each.name, each]));
    expect(similar['Finance and Accounting']?.similarTo).toEqual([
      { domainId: 'dom_finance', name: 'Finance' },
    ]);
    expect(similar['Patient Care']).toBeUndefined();
    for (const { id, name, status, similarTo } of await taxonomy())
      expect(similarTo, name).toEqual(
        status === 'draft'
          ? (generated.similar.find(({ domainId }) => domainId === id)?.similarTo ?? [])
          : [],
      );
  });

  test('maps regulations of the places, and cites the policy section that names one', async () => {
    const care = generated.created.domains.find(({ name }) => name === 'Patient Care');
    const { items } = (
      await governance.get<List<Mapping & { regulation: string; label: string }>>(
        `/api/governance/regulatory-mappings?domainId=${care?.id}`,
      )
    ).body;
    expect(items).toHaveLength(care?.regulatoryMappings ?? -1);
    for (const item of items)
      expect(item).toMatchObject({ status: 'draft', label: 'mapped as relevant, not a legal determination' });
    const gdpr = items.find(({ regulation }) => regulation.includes('GDPR'));
    const policy = (await governance.get<List<Policy>>(POLICIES)).body.items.find(({ title }) =>
      /privacy/i.test(title),
    );
    expect(gdpr?.citation).toEqual({
      documentId: policy?.documentId,
      version: 2,
      anchor: '2',
      heading: '2 Rules',
    });
    expect(items.find(({ regulation }) => regulation.includes('HIPAA'))?.citation).toBeNull();
  });

  test('again creates nothing, and says what it skipped', async () => {
    const before = await taxonomy();
    const { body } = await governance.post<Generated>(GENERATE);
    expect(body.created).toEqual({ domains: [], informationTypes: 0, regulatoryMappings: 0 });
    expect(body.skipped).toHaveLength(generated.created.domains.length + generated.skipped.length);
    expect(await taxonomy()).toEqual(before);
  });

  test('at once by several creates each domain once', async () => {
    await foreign.post(PROFILE_PATH, PROFILE);
    const answers = await Promise.all(Array.from({ length: 5 }, () => foreign.post<Generated>(GENERATE)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const created = answers.flatMap(({ body }) => body.created.domains.map(({ name }) => name));
    expect(new Set(created).size).toBe(created.length);
    expect((await taxonomy(foreign)).filter(({ origin }) => origin === 'generated')).toHaveLength(
      created.length,
    );
  });

  test('stops where there is no room, and says so', async () => {
    await database.inspect(sql`
      insert into domains (tenant_id, domain_id, name, created_at, updated_at)
      select ${DEV}, 'dom_filler_' || n, 'Filler ' || n, now(), now() from generate_series(1, 200) as n`);
    await governance.post(PROFILE_PATH, { ...PROFILE, industries: ['Insurance'] });
    const { body } = await governance.post<Generated>(GENERATE);
    expect(body.created.domains).toEqual([]);
    expect(body.skipped).toContainEqual({ name: 'Insurance', reason: 'limit' });
    expect(body.skipped).toContainEqual({ name: 'Human Resources', reason: 'exists' });
    expect((await governance.post('/api/governance/domains', { name: 'One more' })).status).toBe(409);
    await database.inspect(sql`delete from domains where domain_id ~ '^dom_filler_'`);
  });

  test('is for who may propose', async () => {
    for (const who of [platform, owner, auditor]) expect((await who.post(GENERATE)).status).toBe(403);
  });

  describe('by a live provider', () => {
    let model: ModelService<object>;
    let answer: { status: number; body: object };

    beforeAll(async () => {
      model = await startModelService<object>((response) =>
        answerJson(response, answer.status, answer.body, { 'retry-after-ms': '1' }),
      );
    });
    afterAll(async () => {
      await service.reconfigure({});
      await model.close();
    });
    const live = (more: Record<string, string> = {}) =>
      service.reconfigure({
        ...{ SVC_AI_ENDPOINT: model.endpoint, SVC_AI_DEPLOYMENT: 'embedder' },
        ...{ SVC_AI_KEY_REF: 'TEST_AI_KEY', TEST_AI_KEY: 'key', ...more },
      });

    test('without a chat deployment is refused by name, and never left to the mock', async () => {
      await live();
      const refused = await governance.post<Fault>(GENERATE);
      expect(refused).toMatchObject({ status: 422, body: { error: 'blocked_capability' } });
      expect(refused.body.message).toContain('SVC_AI_CHAT_DEPLOYMENT');
    });

    test('stores what it answers as drafts of its own', async () => {
      await live({ SVC_AI_CHAT_DEPLOYMENT: 'writer' });
      const type = {
        ...{
          name: 'Turbine logs',
          definition: 'Logs.',
          sensitivityRationale: 'Plants.',
          expectedLocationNote: '',
        },
        ...{ sensitivity: 'restricted', detectors: ['iban', 'invented'], keywords: ['turbine'] },
      };
      const domain = {
        ...{ name: 'Turbines', description: 'Wind.', inclusion: '', exclusion: '', informationTypes: [type] },
        regulatoryMappings: [
          { jurisdiction: 'European Union', regulation: 'NIS2', rationale: 'Plants.', citedSection: 's1' },
        ],
      };
      const named = (name: string) => ({ ...domain, name, informationTypes: [], regulatoryMappings: [] });
      const content = JSON.stringify({
        domains: [domain, named('FINANCE'), named('HR'), named('Turbine Department'), named('HR & Payroll')],
      });
      answer = { status: 200, body: { choices: [{ finish_reason: 'stop', message: { content } }] } };
      const { status, body } = await governance.post<Generated>(GENERATE);
      expect([status, body]).toMatchObject([
        200,
        {
          ...{ provider: 'openai', model: 'writer', mode: 'live' },
          created: {
            domains: ['Turbines', 'HR', 'Turbine Department', 'HR & Payroll'].map((name) => ({ name })),
            ...{ informationTypes: 1, regulatoryMappings: 1 },
          },
          similar: [
            { name: 'Turbines', similarTo: [{ name: 'Turbine Department' }] },
            { name: 'HR', similarTo: [{ name: 'HR & Payroll' }, { name: 'Human Resources' }] },
            { name: 'Turbine Department', similarTo: [{ name: 'Turbines' }] },
            { name: 'HR & Payroll', similarTo: [{ name: 'HR' }, { name: 'Human Resources' }] },
          ],
          skipped: [{ name: 'FINANCE', reason: 'exists' }],
        },
      ]);
      const stored = (await taxonomy()).find(({ name }) => name === 'Turbines');
      expect(stored).toMatchObject({
        ...{ status: 'draft', origin: 'generated', provider: 'openai', model: 'writer' },
        informationTypes: [
          { sensitivity: 'restricted', indicators: { detectors: ['iban'], keywords: ['turbine'] } },
        ],
      });
    });

    test('that fails drafts nothing, and its words go nowhere', async () => {
      await live({ SVC_AI_CHAT_DEPLOYMENT: 'writer' });
      const before = await taxonomy();
      answer = { status: 401, body: { error: { message: 'canary of the service' } } };
      const refused = await governance.post<Fault>(GENERATE);
      expect(refused).toMatchObject({ status: 422, body: { error: 'blocked_capability' } });
      expect(refused.text).toContain('ai_auth');
      expect(refused.text + service.logs.join('')).not.toContain('canary');
      expect(await taxonomy()).toEqual(before);
    });
  });
});

describe('the progress', () => {
  test('tells what is done and what comes next', async () => {
    const { steps, nextStep } = await progress();
    expect(Object.fromEntries(steps.map(({ step, state }) => [step, state]))).toMatchObject({
      profile: 'done',
      policies: 'done',
      taxonomy_drafted: 'done',
      taxonomy_approved: 'done',
      source_connected: 'open',
      first_scan: 'open',
      first_review: 'open',
    });
    expect(nextStep?.step).toBe(
      steps.find(({ step }) => step === 'owners_assigned')?.state === 'done'
        ? 'source_connected'
        : 'owners_assigned',
    );
    await platform.post('/api/sources/connect', {});
    const { body } = await platform.get<Progress>('/api/onboarding/progress');
    expect(body.steps.find(({ step }) => step === 'source_connected')).toMatchObject({ state: 'done' });
    for (const who of [owner, await service.signInAs(PERSONA.approver)])
      expect((await who.get('/api/onboarding/progress')).status).toBe(403);
  });
});
