import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { DEVELOPMENT_TAXONOMY } from '../../infra/local/fixture/development-taxonomy.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Outcome = { stage: string; outcome: string; count: number };
type Settings = { dataHandlingProfile: string; configVersion: number };

const SITE = 'site-finance';
const SETTINGS = '/api/onboarding/settings';
/** How long an approval may take to reach running scans, and a little more. */
const TAXONOMY_FRESH_MS = 6_000;

let database: TestDatabase;
let service: TestService;
let platform: SignedIn;
let governance: SignedIn;
let owner: SignedIn;
let scopeId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 8 });
  service = await startService(database);
  platform = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  owner = await service.signInAs(PERSONA.financeOwner);
  await platform.post('/api/sources/connect', {});
  const { items } = (await platform.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  scopeId = items.find(({ externalId }) => externalId === SITE)?.scopeId ?? '';
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Scans the site; how often each stage came to each outcome. */
const scan = async (kind: 'inventory' | 'delta'): Promise<Record<string, number>> => {
  service.clock.advance(TAXONOMY_FRESH_MS);
  const { status, body } = await platform.post<{ campaignId: string }>('/api/scans', { scopeId, kind });
  expect(status).toBe(200);
  await service.drain();
  const campaign = await platform.get<{ status: string; stageOutcomes: Outcome[] }>(
    `/api/scans/${body.campaignId}`,
  );
  expect(campaign.body.status).toBe('completed');
  return Object.fromEntries(
    campaign.body.stageOutcomes.map(({ stage, outcome, count }) => [`${stage}:${outcome}`, count]),
  );
};
const rows = async (table: 'inferences' | 'candidates', typeId: string) =>
  (
    await database.inspect(sql`
      select from ${sql.ident(table)} where tenant_id = ${DEV} and information_type_id = ${typeId}`)
  ).length;

describe('a draft', () => {
  const invoices = DEVELOPMENT_TAXONOMY.flatMap(({ informationTypes }) => informationTypes).find(
    ({ id }) => id === 'ift_invoices',
  );
  let domainId: string;
  let typeId: string;

  test('takes no part in a scan, be it drafted by hand or generated', async () => {
    await governance.post('/api/onboarding/profile', {
      name: 'Example',
      industries: ['Banking'],
      geographies: ['EU'],
    });
    const generated = await governance.post<{ created: { domains: object[] } }>(
      '/api/onboarding/generate-taxonomy',
    );
    expect(generated.body.created.domains.length).toBeGreaterThan(3);
    domainId = (await governance.post<{ id: string }>('/api/governance/domains', { name: 'Billing' })).body
      .id;
    const type = await governance.post<{ id: string }>('/api/governance/information-types', {
      domainId,
      name: 'Bills',
      definition: invoices?.definition,
      indicators: invoices?.indicators,
    });
    typeId = type.body.id;
    expect((await scan('inventory'))['inference:computed']).toBe(8);
    expect(await rows('inferences', 'ift_invoices')).toBeGreaterThan(0);
    const drafts = await database.inspect(sql`
      select from inferences i join information_types t using (tenant_id, information_type_id)
       where i.tenant_id = ${DEV} and t.status = 'draft'`);
    expect(drafts).toEqual([]);
  });

  test('of an approved domain takes none either', async () => {
    await governance.post(`/api/governance/domains/${domainId}/approve`);
    await scan('inventory');
    expect(await rows('inferences', typeId)).toBe(0);
    expect(await rows('candidates', typeId)).toBe(0);
  });

  test('takes part in the next scan once it is approved', async () => {
    const { body } = await governance.post<{ effect: string }>(
      `/api/governance/information-types/${typeId}/approve`,
    );
    expect(body.effect).toBe('next_scan');
    expect((await scan('inventory'))['inference:computed']).toBe(8);
    expect(await rows('candidates', typeId)).toBeGreaterThan(0);
  });

  test('an approved change counts for the next scan, not where inference ignores it', async () => {
    const path = `/api/governance/information-types/${typeId}`;
    await governance.patch(path, { expectedLocationNote: 'Elsewhere.' });
    expect(await scan('inventory')).toMatchObject({ 'inference:cache_hit': 8 });
    await governance.patch(path, { indicators: { keywords: ['zeppelin'] } });
    expect(await scan('inventory')).toMatchObject({ 'inference:computed': 8 });
    await governance.patch(`/api/governance/domains/${domainId}`, { description: 'Airships.' });
    expect(await scan('inventory')).toMatchObject({ 'inference:computed': 8 });
  });
});

describe('the data-handling profile', () => {
  const change = (dataHandlingProfile: string, more: object = {}, who = platform) =>
    who.patch<Settings>(SETTINGS, { dataHandlingProfile, ...more });
  const shown = async () => (await governance.get<Settings>(SETTINGS)).body;
  const excerptsKept = async () => {
    const [row] = await database.inspect<{ kept: number }>(sql`
      select coalesce(sum(jsonb_array_length(excerpts)), 0)::int as kept from asset_features where tenant_id = ${DEV}`);
    return row?.kept ?? -1;
  };
  const excerptsShown = async () => {
    const { items } = (await owner.get<{ items: { assetId: string }[] }>('/api/assets')).body;
    expect(items.length).toBeGreaterThan(0);
    const details = await Promise.all(
      items.map(({ assetId }) => owner.get<{ excerpts: object[] }>(`/api/assets/${assetId}`)),
    );
    return details.reduce((sum, { body }) => sum + body.excerpts.length, 0);
  };

  test('a changed profile derives all evidence again, which hides or shows excerpts', async () => {
    await scan('delta');
    expect(await shown()).toEqual({ dataHandlingProfile: 'minimized_evidence', configVersion: 1 });
    expect(await excerptsKept()).toBeGreaterThan(0);
    expect(await excerptsShown()).toBeGreaterThan(0);

    expect(await change('metadata_only', { configVersion: 1 })).toMatchObject({
      status: 200,
      body: { dataHandlingProfile: 'metadata_only', configVersion: 2 },
    });
    expect(await shown()).toEqual({ dataHandlingProfile: 'metadata_only', configVersion: 2 });
    // At once for readers, and for good with the next scan, though nothing has changed at the source.
    expect(await excerptsShown()).toBe(0);
    const derived = (await scan('delta'))['features:computed'] ?? 0;
    expect(derived).toBeGreaterThan(0);
    expect(await excerptsKept()).toBe(0);
    expect(await scan('delta')).toEqual({});

    await change('minimized_evidence');
    expect((await scan('inventory'))['features:computed']).toBe(derived);
    expect(await excerptsKept()).toBeGreaterThan(0);
    expect(await excerptsShown()).toBeGreaterThan(0);
  });

  test('the same again changes nothing; who looked at another version is refused', async () => {
    const before = await shown();
    expect(await change(before.dataHandlingProfile)).toMatchObject({ status: 200, body: before });
    expect((await change('metadata_only', { configVersion: before.configVersion - 1 })).status).toBe(409);
    expect((await change('everything')).status).toBe(400);
    expect(await shown()).toEqual(before);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => change('enhanced_evidence', { configVersion: before.configVersion })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await shown()).toEqual({
      dataHandlingProfile: 'enhanced_evidence',
      configVersion: before.configVersion + 1,
    });
    const events = await database.inspect<{ record: string }>(sql`
      select record from audit_events where tenant_id = ${DEV} and record like '%data_handling_profile_changed%' order by seq`);
    expect(events.map(({ record }) => JSON.parse(record).event)).toMatchObject([
      { category: 'config', details: { from: 'minimized_evidence', to: 'metadata_only', configVersion: 2 } },
      { category: 'config', details: { from: 'metadata_only', to: 'minimized_evidence', configVersion: 3 } },
      {
        category: 'config',
        details: { from: 'minimized_evidence', to: 'enhanced_evidence', configVersion: 4 },
      },
    ]);
  });

  test('is read by admins and auditors and changed by admins', async () => {
    const auditor = await service.signInAs(PERSONA.auditor);
    expect((await auditor.get(SETTINGS)).status).toBe(200);
    expect((await change('metadata_only', {}, auditor)).status).toBe(403);
    expect((await owner.get(SETTINGS)).status).toBe(403);
    expect((await change('metadata_only', {}, owner)).status).toBe(403);
    expect((await change('metadata_only', {}, governance)).status).toBe(200);
  });
});

test('a change of the countries in the profile has assets looked at again', async () => {
  const profile = async (geographies: string[]) => {
    const { status } = await platform.post('/api/onboarding/profile', { name: 'Meridian', geographies });
    expect(status).toBe(200);
  };
  await scan('inventory');
  await profile(['Portugal']);
  expect(await scan('inventory')).toMatchObject({ 'features:computed': 8 });
  await profile(['Portugal', 'the moon']);
  expect(await scan('inventory')).toMatchObject({ 'features:cache_hit': 8 });
});
