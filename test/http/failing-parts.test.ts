import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { REFUSAL_COUNTS_MS } from '../../core/db/database-health.ts';
import { sql } from '../../core/db/sql.ts';
import { PAUSE_MS } from '../../core/work/own-parts.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { makeFullDisk } from '../support/full-disk.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { contradictions } from '../support/work-truth.ts';

type Ready = { status: string; dbOk: boolean; problems: string[] };
type Source = { scopeId: string; externalId: string; assetCount: number; coverageState: string | null };
type Scan = {
  campaignId: string;
  status: string;
  incomplete: boolean;
  workUnits: { completed: number; dead: number };
  deadLetters: { id: string; retryClass: string; safeDiagnostic: string }[];
};

let database: TestDatabase;
let disk: Awaited<ReturnType<typeof makeFullDisk>>;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 12 });
  disk = await makeFullDisk(database);
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  expect((await admin.post('/api/sources/connect')).status).toBe(200);
});
beforeEach(() => disk.refuse('nothing'));
afterAll(async () => {
  await service.close();
  await database.drop();
});

const source = async (externalId: string): Promise<Source> => {
  const { body } = await admin.get<{ items: Source[] }>('/api/sources');
  return body.items.find((each) => each.externalId === externalId) ?? expect.unreachable();
};
const start = async (externalId: string, kind = 'inventory'): Promise<string> => {
  const { scopeId } = await source(externalId);
  const { status, body } = await admin.post<{ campaignId: string }>('/api/scans', { scopeId, kind });
  expect(status).toBe(200);
  return body.campaignId;
};
const scanOf = async (campaignId: string): Promise<Scan> =>
  (await admin.get<Scan>(`/api/scans/${campaignId}`)).body;
const ready = async () => {
  const { status, body } = await service.anonymous.get<Ready>('/api/ready');
  return { http: status, status: body.status, dbOk: body.dbOk, problems: body.problems };
};
const ABLE = { http: 200, status: 'ok', dbOk: true, problems: [] };
const REFUSED = { http: 503, status: 'degraded', dbOk: false, problems: ['database_refuses'] };
const eventOf = async (campaignId: string) =>
  (
    await database.inspect<{ incomplete: boolean }>(sql`
      select record::jsonb #> '{event,details,incomplete}' as incomplete from audit_events
       where tenant_id = ${DEV} and record::jsonb #>> '{event,type}' = 'scan_completed'
         and record::jsonb #>> '{event,target,id}' = ${campaignId} order by seq`)
  ).map(({ incomplete }) => incomplete);

describe('a database whose disk is full', () => {
  test('for minutes costs a scan nothing: it ends whole, without a dead letter', async () => {
    const campaignId = await start('site-people');
    await disk.refuse('additions');
    for (let second = 0; second < 300; second += 5) {
      service.clock.advance(5_000);
      await service.drain();
    }
    expect(await ready()).toEqual(REFUSED);
    const { body } = await admin.get<{ problems: string[]; deadLetters: object[] }>('/api/ops/overview');
    expect(body).toMatchObject({ problems: ['database_refuses'], deadLetters: [] });
    expect(await source('site-people')).toMatchObject({ coverageState: null, assetCount: 0 });

    await disk.refuse('nothing');
    for (let second = 0; second < 60; second += 5) {
      service.clock.advance(5_000);
      await service.drain();
    }
    expect(await ready()).toEqual(ABLE);
    const scan = await scanOf(campaignId);
    expect(scan).toMatchObject({ status: 'completed', incomplete: false, deadLetters: [] });
    expect(await eventOf(campaignId)).toEqual([false]);
    const { assetCount, coverageState } = await source('site-people');
    expect(coverageState).toBe('baseline');
    expect(assetCount).toBeGreaterThan(10);
    expect(scan.workUnits.completed).toBeGreaterThan(assetCount);
    expect(await contradictions(database)).toEqual([]);
  });

  test('is not ready after refused writes until one succeeds, and writes nothing to know', async () => {
    expect(await ready()).toEqual(ABLE);
    await disk.refuse('all');
    // Nothing has been refused yet, and nothing is written to find out.
    expect(await ready()).toEqual(ABLE);
    const { scopeId } = await source('site-people');
    const refused = await admin.post<{ error: string; message: string }>('/api/scans', {
      scopeId,
      kind: 'inventory',
    });
    expect([refused.status, refused.body.error]).toEqual([503, 'overloaded']);
    expect(refused.body.message).toBe('The database does not write at present. Try again later.');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await ready()).toEqual(REFUSED);
    service.clock.advance(REFUSAL_COUNTS_MS);
    // Silence proves nothing.
    expect(await ready()).toEqual(REFUSED);
    await disk.refuse('nothing');
    await service.signInAs(PERSONA.auditor);
    expect(await ready()).toEqual(ABLE);
  });

  test('that writes again at once is ready when the refusal is no longer recent', async () => {
    await disk.refuse('all');
    await admin.post('/api/auth/dev/login', { principalId: PERSONA.auditor });
    await disk.refuse('nothing');
    service.clock.advance(PAUSE_MS);
    await service.signInAs(PERSONA.auditor);
    expect(await ready()).toEqual(REFUSED);
    service.clock.advance(REFUSAL_COUNTS_MS - PAUSE_MS);
    expect(await ready()).toEqual(ABLE);
  });
});

describe('a listing that dies', () => {
  const breakListing = (campaignId: string) =>
    database.inspect(sql`
      update work_units set payload = '{"page": 1, "pageToken": "no such page"}' where campaign_id = ${campaignId}`);

  test.each([
    ['the first', null],
    ['a later', 'baseline'],
  ])('leaves the coverage as it was, and %s scan says that it is incomplete', async (_, before) => {
    expect((await source('site-finance')).coverageState).toBe(before);
    const campaignId = await start('site-finance');
    await breakListing(campaignId);
    await service.drain();
    const scan = await scanOf(campaignId);
    expect(scan).toMatchObject({ status: 'completed', incomplete: true, workUnits: { dead: 1 } });
    expect(await eventOf(campaignId)).toEqual([true]);
    expect((await source('site-finance')).coverageState).toBe(before);

    const listed = await admin.get<{ items: Scan[] }>('/api/scans');
    expect(listed.body.items.find((each) => each.campaignId === campaignId)).toMatchObject({
      incomplete: true,
    });
    await database.inspect(sql`
      update work_units set payload = '{"page": 0, "pageToken": null}' where campaign_id = ${campaignId}`);
    const [letter] = scan.deadLetters;
    const retried = await admin.post(`/api/ops/dead-letters/${letter?.id}/retry`);
    expect([retried.status, retried.body]).toMatchObject([200, { incomplete: false }]);
    await service.drain();
    expect(await scanOf(campaignId)).toMatchObject({ status: 'completed', incomplete: false });
    expect(await eventOf(campaignId)).toEqual([true, false]);
    expect((await source('site-finance')).coverageState).toBe('baseline');
  });
});
