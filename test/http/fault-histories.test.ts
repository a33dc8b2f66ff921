import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweepCampaignEnds } from '../../core/campaigns/audit-campaign-ends.ts';
import { sql } from '../../core/db/sql.ts';
import { analysisFor } from '../../core/runtime.ts';
import { keptConnectors } from '../../core/scan/kept-connectors.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { leaseOwnerOf, sweepFleet } from '../../core/work/fleet.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { PAUSE_MS } from '../../core/work/own-parts.ts';
import { createWorker } from '../../core/work/worker.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { makeFullDisk } from '../support/full-disk.ts';
import { textOf } from '../support/history-steps.ts';
import { type MortalProcess, mortalProcess } from '../support/mortal-process.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { type Candidate, candidatePath } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { startSilentServer, storageAt } from '../support/silent-server.ts';
import { contradictions, openUnits } from '../support/work-truth.ts';

/**
 * Scans and decisions while the parts of the service fail. Whatever happens: nothing is lost, nothing is done twice,
 * nothing is called complete that is not, and each request is answered within its bound.
 */

const SITE = 'site-people';
const OWNER = PERSONA.peopleOwner;
/** The longest wait for a connection, or for a doorbell, and what a busy machine takes. */
const BOUND_MS = 12_000;
/** A unit may lose this many attempts with its process, and then still be tried. */
const MAX_HALTS = 2;
const HOUR_MS = 3_600_000;
/** Each scan reads the files of all histories before it, so now and then they begin with an empty scope. */
const PER_DATABASE = 20;

type Step =
  | { do: 'add' | 'scan' | 'compare' | 'answer' | 'go_on' | 'end_connections' | 'empty_disk' }
  | { do: 'halt'; how: 'dies' | 'stops'; at: number }
  | { do: 'set_clock'; hours: number }
  | { do: 'fill_disk'; refused: 'additions' | 'all' }
  | { do: 'work'; seconds: number };

/** The steps that are requests. */
const ASKING: ReadonlySet<Step['do']> = new Set(['add', 'scan', 'compare', 'answer']);

const just = <T extends Step>(step: T) => fc.constant(step);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: just({ do: 'add' }) },
  { weight: 4, arbitrary: just({ do: 'scan' }) },
  { weight: 1, arbitrary: just({ do: 'compare' }) },
  { weight: 4, arbitrary: just({ do: 'answer' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('halt' as const),
      how: fc.constantFrom('dies' as const, 'stops' as const),
      at: fc.integer({ min: 2, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: just({ do: 'go_on' }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('set_clock' as const), hours: fc.constantFrom(3, -3) }),
  },
  { weight: 2, arbitrary: just({ do: 'end_connections' }) },
  { weight: 2, arbitrary: just({ do: 'empty_disk' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('fill_disk' as const),
      refused: fc.constantFrom('additions' as const, 'all' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('work' as const), seconds: fc.constantFrom(1, 6, 70) }),
  },
);
const histories = fc.record({
  files: fc.integer({ min: 1, max: 4 }),
  hangs: fc.constantFrom(false, false, false, true),
  steps: fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }),
});

let database: TestDatabase;
let service: TestService;
let disk: Awaited<ReturnType<typeof makeFullDisk>>;
let storage: Awaited<ReturnType<typeof startSilentServer>>;
let analysis: ReturnType<typeof analysisFor>;
let edition = 0;

async function open(): Promise<void> {
  [database, storage] = await Promise.all([
    createSeededDatabase({ max: 10, itemsPerScope: 0 }),
    startSilentServer(),
  ]);
  disk = await makeFullDisk(database);
  service = await startService(database);
  analysis = analysisFor(service.runtime().config);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  expect((await admin.post('/api/sources/connect')).status).toBe(200);
}

async function close(): Promise<void> {
  await service.close();
  await analysis.close();
  storage.close();
  await database.drop();
}

/** The worker of another process, as `compose` makes it. */
function workerOf({ db }: MortalProcess, scannerId: string) {
  const { config, clock, log, metrics, graph, fixture, ai } = service.runtime();
  const parts = { config, db, clock, log, metrics, doorbell: null };
  return createWorker({
    ...parts,
    owner: leaseOwnerOf(scannerId, clock()),
    concurrency: 2,
    handlers: scanHandlers({
      ...parts,
      analysis,
      provider: ai,
      connectorFor: keptConnectors({ config, db, clock, graph, fixture }),
    }),
  });
}

/** The newest scan of the scope, if it has ended whole, and the items that it was started for. */
async function expectWhole(startedFor: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const [newest] = await database.inspect<{
    id: string;
    status: string;
    dead: number;
    coverage: string | null;
  }>(sql`
    select c.campaign_id as id, c.status, c.listing_units_dead as dead, s.coverage_state as coverage
      from campaigns c join scopes s using (tenant_id, scope_id)
     where c.campaign_id = ${[...startedFor.keys()].at(-1) ?? ''}`);
  if (newest === undefined || newest.status !== 'completed' || newest.dead > 0) return;
  expect(newest.coverage, 'a scan that ended whole has a coverage').not.toBeNull();
  const rows = await database.inspect<{ id: string }>(sql`
    select external_id as id from assets where status = 'active' and stage_keys ->> 'observe' = source_version`);
  const seen = new Set(rows.map(({ id }) => id));
  const missing = [...(startedFor.get(newest.id) ?? [])].filter((id) => !seen.has(id));
  expect(missing, 'what a complete scan has not read').toEqual([]);
}

async function play({
  files,
  hangs,
  steps,
}: {
  files: number;
  hangs: boolean;
  steps: Step[];
}): Promise<void> {
  if (hangs) await service.reconfigure({ AzureWebJobsStorage: storageAt(storage.port) });
  const signIn = async () => {
    const [admin, owner] = await Promise.all(
      [PERSONA.platformAdmin, OWNER].map((who) => service.signInAs(who)),
    );
    if (admin === undefined || owner === undefined) expect.unreachable();
    return { admin, owner };
  };
  let { admin, owner } = await signIn();
  const [scope] = await database.inspect<{ id: string }>(
    sql`select scope_id as id from scopes where tenant_id = ${DEV} and external_id = ${SITE}`,
  );
  const items = new Set<string>();
  const startedFor = new Map<string, ReadonlySet<string>>();
  const answered = new Map<string, number>();
  const stopped: { process: MortalProcess; drained: Promise<unknown> }[] = [];
  let halts = 0;
  let isAhead = false;
  let isSignedOut = false;
  let isFull = false;
  let isShaken = false;

  /** The body, or null if the service says that it cannot, which it may say only while a part fails. */
  const asked = async <T>(
    who: SignedIn,
    path: string,
    body: object,
    also: number[] = [],
  ): Promise<T | null> => {
    const since = performance.now();
    const { status, body: answer, text } = await who.post<T>(path, body);
    expect(performance.now() - since, `${path} is answered in time`).toBeLessThan(BOUND_MS);
    expect([200, ...also, ...(isFull || isShaken ? [503] : [])], `${path}: ${text}`).toContain(status);
    isShaken = false;
    return status === 200 ? answer : null;
  };
  const add = async () => {
    const content = textOf({ prose: 'payroll', identifiers: 'tax' }, ++edition);
    const body = { scopeExternalId: SITE, action: 'add', content };
    const added = await asked<{ fileId: string }>(admin, '/api/dev/fixture/mutate', body);
    if (added !== null) items.add(added.fileId);
  };
  const scan = async (kind: 'inventory' | 'delta') => {
    const present = new Set(items);
    const started = await asked<{ campaignId: string }>(
      admin,
      '/api/scans',
      { scopeId: scope?.id, kind },
      kind === 'delta' ? [400, 409] : [409],
    );
    if (started !== null) startedFor.set(started.campaignId, present);
  };
  const answer = async () => {
    const queue = await owner.get<{ items: Candidate[] }>('/api/review/queue');
    expect([200, ...(isFull || isShaken ? [503] : [])]).toContain(queue.status);
    const [question] = queue.status === 200 ? queue.body.items : [];
    if (question === undefined) return;
    const { candidateId, revision } = question;
    const path = `${candidatePath(candidateId)}/decision`;
    const given = await asked(owner, path, { decision: 'mine', revision }, [409]);
    if (given !== null) answered.set(candidateId, (answered.get(candidateId) ?? 0) + 1);
  };
  /** Another process works, and halts in the middle. */
  const halt = async (how: 'dies' | 'stops', at: number) => {
    const process = mortalProcess(database, at, how);
    const worker = workerOf(process, `scn_halts_${++halts}`);
    const drained = worker.drain(60_000, new AbortController().signal);
    await Promise.race([drained, process.halt]);
    if (how === 'stops') stopped.push({ process, drained });
    else void process.db.close();
  };
  const goOn = async () => {
    for (const { process, drained } of stopped.splice(0)) {
      process.goOn();
      await drained;
      await process.db.close();
    }
  };
  const setClock = async () => {
    isAhead = !isAhead;
    service.clock.advance(isAhead ? 3 * HOUR_MS : -3 * HOUR_MS);
    // A session of three hours ago has ended, and one that begins in three hours is not valid yet.
    isSignedOut = true;
  };
  const perform = async (each: Step) => {
    if (isSignedOut && !isFull) {
      ({ admin, owner } = await signIn());
      isSignedOut = false;
    }
    if (isSignedOut && ASKING.has(each.do)) return;
    switch (each.do) {
      case 'add':
        return add();
      case 'scan':
        return scan('inventory');
      case 'compare':
        return scan('delta');
      case 'answer':
        return answer();
      case 'fill_disk':
        isFull = true;
        return disk.refuse(each.refused);
      case 'empty_disk':
        isFull = false;
        return disk.refuse('nothing');
      case 'end_connections':
        isShaken = true;
        await database.inspect(sql`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'data-governance-service'`);
        return;
      case 'halt':
        if (halts < MAX_HALTS) await halt(each.how, each.at);
        return;
      case 'go_on':
        return goOn();
      case 'set_clock':
        // Either the clock runs ahead, or it is right again.
        if (each.hours > 0 !== isAhead) await setClock();
        return;
      case 'work':
        service.clock.advance(each.seconds * 1_000);
        await service.drain();
        isShaken = false;
    }
  };

  for (let n = 0; n < files; n++) await add();
  for (const each of steps) {
    await perform(each);
    await expectWhole(startedFor);
  }

  isFull = false;
  await disk.refuse('nothing');
  if (isAhead) await setClock();
  await goOn();
  for (let round = 0; round < 60; round++) {
    service.clock.advance(round % 5 === 4 ? LEASE_MS : PAUSE_MS);
    await service.drain();
    await sweepFleet(service.runtime()).catch(() => undefined);
    if ((await openUnits(database)) === 0 && service.runtime().worker.problem() === null) break;
    await sleep(10);
  }
  await sweepCampaignEnds({ db: database.db, clock: service.clock.now }, new AbortController().signal);
  await expectEnd(startedFor, answered);
  // Whatever failed before, one more scan sees everything.
  await perform({ do: 'scan' });
  await service.drain();
  await expectWhole(startedFor);
}

/** What is true when all parts work again and nothing is left to do. */
async function expectEnd(
  startedFor: ReadonlyMap<string, ReadonlySet<string>>,
  answered: ReadonlyMap<string, number>,
): Promise<void> {
  expect(service.runtime().worker.problem()).toBeNull();
  expect(await openUnits(database)).toBe(0);
  expect(await contradictions(database)).toEqual([]);
  expect(await database.inspect(sql`select retry_class, safe_diagnostic from dead_letters`)).toEqual([]);
  await expectWhole(startedFor);
  const scans = await database.inspect<{ id: string; status: string; ends: number }>(sql`
    select c.campaign_id as id, c.status,
           (select count(*)::int from audit_events e
             where e.tenant_id = c.tenant_id and e.record::jsonb #>> '{event,type}' = 'scan_completed'
               and e.record::jsonb #>> '{event,target,id}' = c.campaign_id) as ends
      from campaigns c where c.scope_id is not null`);
  expect(scans.filter(({ status, ends }) => status !== 'completed' || ends !== 1)).toEqual([]);
  for (const id of startedFor.keys()) expect(scans.map((each) => each.id)).toContain(id);
  const decided = await database.inspect<{ id: string; times: number }>(sql`
    select candidate_id as id, count(*)::int as times from decisions group by candidate_id`);
  const times = new Map(decided.map((each) => [each.id, each.times]));
  for (const [id, count] of answered) expect(times.get(id), 'answers that were accepted').toBe(count);
  const auditor = await service.signInAs(PERSONA.auditor);
  expect((await auditor.get<{ ok: boolean }>('/api/audit/verify')).body).toMatchObject({ ok: true });
}

test('scans and decisions under faults: nothing lost, double, or called whole', {
  timeout: 7_200_000,
}, async () => {
  for (let left = propertyRuns(6); left > 0; left -= PER_DATABASE) {
    await open();
    try {
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          try {
            await play(history);
          } finally {
            await disk.refuse('nothing');
            if (history.hangs) await service.reconfigure({});
          }
        }),
        { numRuns: Math.min(left, PER_DATABASE), endOnFailure: true },
      );
    } finally {
      await close();
    }
  }
});
