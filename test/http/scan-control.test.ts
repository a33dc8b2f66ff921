import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { CampaignId } from '../../core/kernel/ids.ts';
import { enqueueUnits } from '../../core/work/enqueue.sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Scan = {
  campaignId: string;
  status: string;
  finishedAt: string | null;
  workUnits: Record<string, number>;
  deadLetters: { id: string; retriedAt: string | null }[];
};
type Failure = { error: string; message: string };
type Event = { type: string; target: { id: string } | null; policyDecision: string | null };

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let scopeId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 6 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  scopeId = items.find(({ externalId }) => externalId === 'site-people')?.scopeId ?? '';
});
afterAll(async () => {
  await service.close();
  await database.drop();
});
beforeEach(() =>
  database.inspect(sql`update campaigns set status = 'cancelled' where status <> 'completed'`),
);

const drain = () => service.drain();
const start = async (correlationId?: string) => {
  const started = await admin.post<{ campaignId: string }>(
    '/api/scans',
    { scopeId, kind: 'inventory' },
    correlationId === undefined ? {} : { 'x-svc-correlation': correlationId },
  );
  expect(started.status).toBe(200);
  return started.body.campaignId;
};
const act = <T = Scan>(id: string, action: string, who = admin) => who.post<T>(`/api/scans/${id}/${action}`);
const read = async (id: string) => (await admin.get<Scan>(`/api/scans/${id}`)).body;
const run = (id: string) =>
  database.inspect(sql`update campaigns set status = 'running' where campaign_id = ${id}`);
const auditEvents = async () => {
  const auditor = await service.signInAs(PERSONA.auditor);
  return (await auditor.get<{ items: Event[] }>('/api/audit')).body.items;
};

describe('POST /api/scans/{id}/{action}', () => {
  test('pauses, resumes and cancels, and keeps an account of each', async () => {
    const id = await start();
    await run(id);
    const active = async () => {
      const { items } = (await admin.get<{ items: { activeCampaignId: string | null }[] }>('/api/sources'))
        .body;
      return items.map(({ activeCampaignId }) => activeCampaignId).filter((each) => each !== null);
    };
    expect(await active()).toEqual([id]);
    expect((await act(id, 'pause')).body).toMatchObject({ status: 'paused', finishedAt: null });
    expect(await drain()).toBe(0);
    expect((await act(id, 'resume')).body).toMatchObject({ status: 'running', workUnits: { pending: 1 } });
    const cancelled = (await act(id, 'cancel')).body;
    expect(cancelled).toMatchObject({ status: 'cancelled', workUnits: { pending: 0, cancelled: 1 } });
    expect(cancelled.finishedAt).not.toBeNull();
    expect(await active()).toEqual([]);
    expect(await drain()).toBe(0);
    const rows = await database.inspect(sql`select status from work_units where campaign_id = ${id}`);
    expect(rows).toEqual([{ status: 'cancelled' }]);

    const types = (await auditEvents()).filter(({ target }) => target?.id === id).map(({ type }) => type);
    expect(types).toEqual([
      'scan_cancellation_completed',
      'scan_cancelled',
      'scan_resumed',
      'scan_paused',
      'scan_started',
    ]);
  });

  test('a scan that ends is on record under the request that started it', async () => {
    const id = await start('started-here');
    await drain();
    expect((await auditEvents()).find(({ target }) => target?.id === id)).toMatchObject({
      type: 'scan_completed',
      principalId: PERSONA.platformAdmin,
      correlationId: 'started-here',
      details: { kind: 'inventory', status: 'completed', unitsDead: 0, unitsCancelled: 0 },
    });
  });

  test('one that finished while it was paused ends with its resume', async () => {
    const id = await start();
    await drain();
    await database.inspect(
      sql`update campaigns set status = 'paused', finished_at = null where campaign_id = ${id}`,
    );
    expect((await act(id, 'resume')).body.status).toBe('completed');
    const types = (await auditEvents()).filter(({ target }) => target?.id === id).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['scan_completed', 'scan_resumed']);
  });

  test.each([
    ['pending', 'pause', 'paused'],
    ['pending', 'resume', 'resumed'],
    ['completed', 'pause', 'paused'],
    ['completed', 'resume', 'resumed'],
    ['completed', 'cancel', 'cancelled'],
  ])('refuses for a %s campaign to %s it, and says so', async (state, action, participle) => {
    const id = await start();
    if (state === 'completed') await drain();
    expect((await read(id)).status).toBe(state);
    const answer = await act<Failure>(id, action);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      error: 'conflict',
      message: `A campaign that is ${state} cannot be ${participle}.`,
    });
    expect((await read(id)).status).toBe(state);
  });

  test('needs the capability of the action, and a denial is on record by its name', async () => {
    const id = await start();
    const auditor = await service.signInAs(PERSONA.auditor);
    for (const action of ['pause', 'resume', 'cancel']) {
      expect((await act<Failure>(id, action, auditor)).body.error).toBe('not_permitted');
      expect(await auditEvents()).toContainEqual(
        expect.objectContaining({ type: 'authorization_denied', policyDecision: `scan.job.${action}` }),
      );
    }
    expect((await read(id)).status).toBe('pending');
  });

  test('finds neither another tenant’s campaign nor an action of another name', async () => {
    const id = await start();
    const stranger = await service.signInAs(inOther(PERSONA.platformAdmin));
    for (const action of ['pause', 'resume', 'cancel']) {
      expect((await act(id, action, stranger)).status).toBe(404);
      expect((await act('cmp_nothing', action)).status).toBe(404);
    }
    expect((await act(id, 'explode')).status).toBe(404);
    expect((await read(id)).status).toBe('pending');
  });

  test('a scope is free for the next scan as soon as its last one is cancelled', async () => {
    const id = await start();
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(409);
    await act(id, 'cancel');
    expect(await start()).not.toBe(id);
  });
});

describe('POST /api/ops/dead-letters/{id}/retry', () => {
  /** A completed campaign with a unit that died, since its asset does not exist; the letter's id. */
  async function deadLetter(): Promise<{ id: string; letter: string }> {
    const id = await start();
    const unit = {
      kind: 'inventory_page' as const,
      logicalKey: 'page:broken',
      payload: { page: 1, pageToken: 'nowhere' },
    };
    await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
      enqueueUnits(tx, id as CampaignId, [unit], service.clock.now()),
    );
    await database.inspect(sql`update work_units set max_attempts = 1 where logical_key = 'page:broken'`);
    await drain();
    // A listing with a page that died has not ended: the page is listed again when it is retried.
    await database.inspect(sql`update scopes set listed_by = null where listed_by = ${id}`);
    const { status, workUnits, deadLetters } = await read(id);
    expect({ status, dead: workUnits.dead }).toEqual({ status: 'completed', dead: 1 });
    const [letter] = deadLetters;
    if (letter === undefined) throw new Error('nothing died');
    expect(letter.retriedAt).toBeNull();
    return { id, letter: letter.id };
  }
  const retry = <T = Scan>(letter: string, who = admin) =>
    who.post<T>(`/api/ops/dead-letters/${letter}/retry`);

  test('resumes a completed campaign; a unit that dies again leaves its own letter', async () => {
    const { id, letter } = await deadLetter();
    expect((await retry(letter)).body).toMatchObject({
      campaignId: id,
      status: 'running',
      finishedAt: null,
      workUnits: { pending: 1, dead: 0 },
    });
    expect((await retry<Failure>(letter)).body.error).toBe('conflict');
    await drain();
    const { status, workUnits, deadLetters } = await read(id);
    expect({ status, dead: workUnits.dead }).toEqual({ status: 'completed', dead: 1 });
    expect(deadLetters.map(({ retriedAt }) => retriedAt === null).sort()).toEqual([false, true]);
    expect(await auditEvents()).toContainEqual(
      expect.objectContaining({
        type: 'dead_letter_retried',
        target: expect.objectContaining({ id: letter }),
      }),
    );
  });

  test('is refused once another scan of the scope was started', async () => {
    const { id, letter } = await deadLetter();
    const next = await start();
    expect((await retry<Failure>(letter)).body.error).toBe('conflict');
    await act(next, 'cancel');
    expect((await retry<Failure>(letter)).body.error).toBe('conflict');
    expect(await read(id)).toMatchObject({ status: 'completed', workUnits: { dead: 1 } });
  });

  test('is for whoever manages operations in the tenant', async () => {
    const { letter } = await deadLetter();
    expect((await retry(letter, await service.signInAs(PERSONA.auditor))).status).toBe(403);
    expect((await retry(letter, await service.signInAs(inOther(PERSONA.platformAdmin)))).status).toBe(404);
    expect((await retry('dlq_nothing')).status).toBe(404);
  });
});
