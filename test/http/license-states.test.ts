import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { Endpoint } from '../../core/http/declaration.ts';
import { endpoints } from '../../core/http/endpoint.ts';
import { LICENSE_STATES, type LicenseState, SCAN_REFUSALS } from '../../core/licensing/license-state.ts';
import type { LicenseStatus } from '../../core/licensing/status.ts';
import { BODY_RULES, mayName } from '../support/change-everything.ts';
import { type Caller, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { copyOf } from '../support/database-copy.ts';
import { DAY_MS, entitlement, LICENSED } from '../support/entitlements.ts';
import { type KnownIds, readKnownIds } from '../support/known-ids.ts';
import {
  addSecondDomain,
  guardedEndpoints,
  makeFirstWorld,
  type Persona,
  reachOf,
  signInEverybody,
} from '../support/leak-worlds.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { type IdSlot, type Sample, samplesOf } from '../support/request-samples.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** A state of the license, or a bound of its terms, in which the tests call every endpoint. */
type Situation = LicenseState | 'without_scanning' | 'over_terms';
const SITUATIONS: readonly Situation[] = [...LICENSE_STATES, 'without_scanning', 'over_terms'];
const STARTS_SCANS: readonly Situation[] = ['none', 'active', 'grace'];

/** These change the license itself. */
const OF_THE_LICENSE = '/api/controlplane/';
/** Ends the session that the others need. */
const LOGOUT = '/api/auth/logout';
const START_SCAN = 'scans-start';
/** For a change, one of each endpoint. Nightly, also one of another kind. */
const MOST_SAMPLES = NIGHTLY ? 2 : 1;

let source: TestDatabase;
let service: TestService;
let personas: Persona[];
let known: KnownIds;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  source = await createSeededDatabase({ itemsPerScope: 4 });
  databases.push(source);
  service = await startService(source, LICENSED);
  personas = await signInEverybody(service, source);
  await makeFirstWorld(service, source, personas);
  await addSecondDomain(service, source, personas);
  known = await readKnownIds(source);
});
afterAll(async () => {
  await service.close();
  for (const database of databases) await database.drop();
});

const admin = () => {
  const found = personas.find(({ principalId }) => principalId === PERSONA.platformAdmin);
  if (found === undefined) throw new Error('nobody');
  return found;
};

/** Brings the license of a database into the situation. */
async function bringAbout(situation: Situation, database: TestDatabase): Promise<void> {
  if (situation === 'none') return;
  const now = service.clock.now();
  const terms = {
    ...(situation === 'without_scanning' && { features: [] }),
    ...(situation === 'over_terms' && { maxAssets: 0 }),
  };
  const token = await entitlement(now, terms);
  const activated = await admin().post('/api/controlplane/activate', { token });
  expect(activated.status).toBe(200);
  if (situation === 'deactivated') await admin().post('/api/controlplane/deactivate');
  if (situation === 'unusable') await database.inspect(sql`update licenses set entitlement = 'a.b.c'`);
  if (situation === 'grace' || situation === 'expired') {
    const days = situation === 'grace' ? 1 : 15;
    const endsAt = new Date(now - days * DAY_MS).toISOString();
    const ended = await entitlement(now - 100 * DAY_MS, { endsAt });
    await database.inspect(sql`update licenses set entitlement = ${ended} where tenant_id = ${DEV}`);
  }
}

type Call = { call: string; endpoint: Endpoint; caller: Caller; sample: Sample };

/** Requests to every endpoint, each of a person who may call it. The scans come first, before any other has started one. */
function everyCall(): Call[] {
  const guarded = guardedEndpoints();
  const inOrder = endpoints()
    .filter(({ path, method }) => method === 'GET' || !path.startsWith(OF_THE_LICENSE))
    .filter(({ path }) => path !== LOGOUT)
    .sort((a, b) => Number(b.name === START_SCAN) - Number(a.name === START_SCAN));
  return inOrder.flatMap((endpoint) => {
    const { method, path, name } = endpoint;
    if (!guarded.includes(endpoint)) {
      const sample: Sample = { method, target: path, ...(method !== 'GET' && { body: {} }) };
      return [{ call: `${name}`, endpoint, caller: service.anonymous, sample }];
    }
    const caller = personas.find((persona) => reachOf(persona, endpoint) !== 'none');
    if (caller === undefined) throw new Error(`nobody may call ${name}`);
    const naming = ({ kind }: IdSlot) =>
      known.visible(caller, endpoint, kind).find((id) => mayName(endpoint, kind, id)) ?? 'none';
    const samples = samplesOf(endpoint, naming, { rules: BODY_RULES }).slice(0, MOST_SAMPLES);
    return samples.map((sample, index) => ({ call: `${name} ${index}`, endpoint, caller, sample }));
  });
}

/** The status of each call in a copy of the database in which the license is in the situation. */
async function statusesIn(situation: Situation): Promise<Map<string, number>> {
  const database = await copyOf(source);
  databases.push(database);
  await service.reconfigure({ SVC_DATABASE_URL: database.url });
  await bringAbout(situation, database);
  const { body } = await admin().get<LicenseStatus>('/api/controlplane/status');
  expect(body.scansMayStart).toBe(STARTS_SCANS.includes(situation));
  if (situation !== 'without_scanning' && situation !== 'over_terms') expect(body.state).toBe(situation);
  if (body.reason !== null) expect(SCAN_REFUSALS).toContain(body.reason);
  const statuses = new Map<string, number>();
  for (const { call, caller, sample } of everyCall()) {
    const { method, target, body } = sample;
    const answer = await caller.request(method, target, body === undefined ? {} : { body });
    statuses.set(call, answer.status);
    if (answer.status === 402) expect(answer.body).toMatchObject({ error: 'license_required' });
  }
  return statuses;
}

const isScanStart = (call: string) => call.startsWith(START_SCAN);

test('only starts of scans ask for a license; everything else works in every state', async () => {
  const usual = await statusesIn('none');
  // Most requests are accepted, so that the comparison says something.
  expect(usual.size).toBeGreaterThan(120);
  const answered = [...usual].filter(([, status]) => status < 300).map(([call]) => call);
  expect(answered.length / usual.size).toBeGreaterThan(0.6);
  for (const each of ['exports-', 'audit-', 'review-', 'actions-', 'assets-', 'findings-', START_SCAN])
    expect(
      answered.some((call) => call.startsWith(each)),
      each,
    ).toBe(true);

  for (const situation of SITUATIONS.filter((each) => each !== 'none')) {
    const statuses = await statusesIn(situation);
    const expected = [...usual].map(([call, status]): [string, number] => [
      call,
      isScanStart(call) && !STARTS_SCANS.includes(situation) ? 402 : status,
    ]);
    expect(
      [...statuses].filter(([call, status]) => expected.find(([each]) => each === call)?.[1] !== status),
      situation,
    ).toEqual([]);
    expect(statuses.size, situation).toBe(usual.size);
  }
});
