import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { sweepRetention } from '../../core/retention/sweep.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decide, decided, detailOf, EXCERPTS, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PATH = '/api/admin/retention';
const DAY = 24 * 3_600_000;

type Item = {
  kind: string;
  days: number;
  count: number;
  due: number;
  needed: number;
  oldestAt: string | null;
};

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

test('who may read the profile of the tenant sees what is kept; others do not', async () => {
  for (const persona of [PERSONA.platformAdmin, PERSONA.governanceAdmin, PERSONA.auditor]) {
    const { status, body } = await (await service.signInAs(persona)).get<{ items: Item[] }>(PATH);
    expect(status).toBe(200);
    expect(body.items.find(({ kind }) => kind === 'sessions')).toMatchObject({ days: 30, due: 0 });
  }
  const owner = await service.signInAs(PERSONA.financeOwner);
  expect((await owner.get(PATH)).status).toBe(403);
});

/** A sweep so many days from now. */
const sweep = (days: number) =>
  sweepRetention(
    {
      db: database.db,
      config: loadConfig({
        ...{ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, SVC_RETENTION_SESSION_DAYS: '365' },
      }),
      clock: () => Date.now() + days * DAY,
    },
    { signal: new AbortController().signal, budgetMs: 60_000 },
  );

test('excerpts do not stay for a question that nobody can answer, of a removed asset', async () => {
  const finance = await service.signInAs(PERSONA.financeOwner);
  const { candidateId, assetId } = await review.ask();
  await decided(finance, candidateId, { decision: 'need_more_evidence' });
  await database.inspect(sql`
    update assets set status = 'deleted', deleted_at = now() where tenant_id = ${DEV} and asset_id = ${assetId}`);
  const held = async () =>
    (
      await database.inspect(sql`
        select from decision_excerpts e join decisions d using (tenant_id, decision_id) where d.asset_id = ${assetId}`)
    ).length;
  await sweep(179);
  expect(await held()).toBe(1);
  expect((await decide(finance, candidateId, { decision: 'mine' })).status).toBe(404);
  await sweep(181);
  expect(await held()).toBe(0);
});

test('excerpts stay while a question is open, and go with the days after its answer', async () => {
  const finance = await service.signInAs(PERSONA.financeOwner);
  const open = await review.ask();
  const answered = await review.ask();
  const deferred = await review.ask();
  await decided(finance, answered.candidateId, { decision: 'mine' });
  await decided(finance, deferred.candidateId, { decision: 'need_more_evidence' });
  const excerptsNow = async () => {
    const { excerpts, answer } = await detailOf(finance, answered.candidateId);
    return { present: excerpts, judged: answer?.evidence?.excerpts, decision: answer?.decision };
  };
  await sweep(179);
  expect(await excerptsNow()).toEqual({ present: EXCERPTS, judged: EXCERPTS, decision: 'mine' });
  // The answer made a finding of the asset, which the excerpts are evidence for.
  await sweep(181);
  expect(await excerptsNow()).toMatchObject({ present: EXCERPTS, judged: EXCERPTS });
  await database.inspect(sql`
    update findings set status = 'resolved', resolved_at = now() where asset_id = ${answered.assetId}`);
  await sweep(181);
  const left = await database.inspect<{ id: string }>(sql`
    select asset_id as id from asset_features where tenant_id = ${DEV} and excerpts <> '[]'::jsonb
     union all
    select d.asset_id from decision_excerpts e join decisions d using (tenant_id, decision_id)
     order by 1`);
  expect(left.map(({ id }) => id)).toEqual([open.assetId, deferred.assetId, deferred.assetId].sort());
  expect(await excerptsNow()).toEqual({ present: [], judged: [], decision: 'mine' });
});
