import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '../../core/http/declaration.ts';
import { endpoints } from '../../core/http/endpoint.ts';
import { BODY_RULES, mayName } from '../support/change-everything.ts';
import { type Caller, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { type KnownIds, readKnownIds } from '../support/known-ids.ts';
import {
  addSecondDomain,
  guardedEndpoints,
  makeFirstWorld,
  type Persona,
  signInEverybody,
} from '../support/leak-worlds.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { type IdSlot, type Sample, samplesOf } from '../support/request-samples.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** In the suite. `PROPERTY_RUNS=10000` sends more. */
const REQUESTS = 1_000;
/** What a service may keep for half of the requests: caches, and statistics of statements. */
const MOST_GROWTH_MIB = 48;

let database: TestDatabase;
let service: TestService;
let personas: Persona[];
let known: KnownIds;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 4 });
  service = await startService(database);
  personas = await signInEverybody(service, database);
  await makeFirstWorld(service, database, personas);
  await addSecondDomain(service, database, personas);
  known = await readKnownIds(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1.5,
    2 ** 53,
    1e308,
    true,
    [],
    {},
    '__proto__',
    '%00',
    "' or 1=1 --",
  ),
  fc.constant('a'.repeat(70_000)),
  fc.constant('\u0000'),
  fc.constant('\ud800'),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(fc.constant('x'), { minLength: 1_001, maxLength: 1_001 }),
);

type Change = { kind: 'none' | 'member' | 'other' | 'body' | 'query' | 'path'; at: number; value: unknown };

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('none' as const) },
    { weight: 4, arbitrary: fc.constant('member' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom('other' as const, 'body' as const, 'query' as const, 'path' as const),
    },
  ),
  at: fc.nat(1_000),
  value: oddValue,
});

const asText = (value: unknown) =>
  encodeURIComponent(
    (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 2_000),
  );
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The request with one part replaced. */
function changed({ method, target, body }: Sample, { kind, at, value }: Change): Sample {
  const names = isRecord(body) ? Object.keys(body) : [];
  const [path = '', query = ''] = target.split('?');
  const members = [...new URLSearchParams(query).keys()];
  if (kind === 'member' && isRecord(body) && names.length > 0)
    return { method, target, body: { ...body, [names[at % names.length] ?? '']: value } };
  if (kind === 'other' && isRecord(body))
    return { method, target, body: { ...body, [`unknown${at}`]: value } };
  if (kind === 'body' && method !== 'GET') return { method, target, body: value };
  if (kind === 'query' || kind === 'member') {
    const name = members[at % (members.length || 1)] ?? 'limit';
    return { method, target: `${path}?${query}&${name}=${asText(value)}`, body };
  }
  if (kind === 'path') {
    const parts = path.split('/');
    // The host itself refuses control characters and an encoded slash or backslash.
    // Only what follows `/api/` is the service's.
    parts[Math.max(2, parts.length - 1 - (at % 2))] =
      asText(value).replaceAll(/%(?:[01].|2F|5C|7F)/g, 'x') || 'x';
    return { method, target: parts.join('/'), body };
  }
  return { method, target, body };
}

/** A request of the persona to the endpoint; one that the schemas accept where the endpoint needs a session. */
function sampleFor(persona: Persona, endpoint: Endpoint, at: number): Sample {
  const { method, path } = endpoint;
  if (!guardedEndpoints().includes(endpoint))
    return { method, target: path, ...(method !== 'GET' && { body: {} }) };
  const naming = ({ kind }: IdSlot) => {
    const visible = known.visible(persona, endpoint, kind).filter((id) => mayName(endpoint, kind, id));
    return visible[at % visible.length] ?? 'none';
  };
  const samples = samplesOf(endpoint, naming, { rules: BODY_RULES });
  return samples[at % samples.length] ?? { method, target: path };
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
function heapMiB(): number {
  // The test keeps the lines of the log; the service does not.
  (service.logs as string[]).length = 0;
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('random requests get documented answers and leave no memory', async () => {
  const all = endpoints();
  const statuses = new Map<number, number>();
  const callers: (Caller | undefined)[] = [...personas, undefined];
  const sessions = new Map<Persona, Caller>();
  const send = async ([who, which, at, mutation]: [number, number, number, Change]) => {
    const persona = personas[who % personas.length];
    const endpoint = all[which % all.length];
    if (persona === undefined || endpoint === undefined) throw new Error('nobody, or nothing');
    const sample = changed(sampleFor(persona, endpoint, at), mutation);
    const anonymous = callers[who % callers.length] === undefined;
    const caller = anonymous ? service.anonymous : (sessions.get(persona) ?? persona);
    const { method, target, body } = sample;
    const { status } = await caller.request(method, target, body === undefined ? {} : { body });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const failed = service.logs.findLast((line) => line.includes('"level":"error"'));
    expect(status, `${method} ${endpoint.path}: ${failed}`).not.toBe(500);
    // The request ended the session.
    if (status === 401 && !anonymous) sessions.set(persona, await service.signInAs(persona.principalId));
  };
  const request = fc.tuple(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), change);
  const half = (seed: number) =>
    fc.assert(fc.asyncProperty(request, send), {
      numRuns: propertyRuns(REQUESTS) / 2,
      endOnFailure: true,
      seed,
    });

  await half(1);
  const before = heapMiB();
  await half(2);
  expect(heapMiB() - before).toBeLessThan(MOST_GROWTH_MIB);
  // The requests reached the endpoints, and their rules.
  for (const status of [200, 400, 401, 403, 404, 409])
    expect(statuses.get(status), `${status}`).toBeGreaterThan(0);
});
