import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { ADAPTER_TOOLS, type AdapterTool } from '../../core/http/adapter-call.ts';
import type { Endpoint } from '../../core/http/declaration.ts';
import { BODY_RULES, type Change, changeEverything } from '../support/change-everything.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { copyOf } from '../support/database-copy.ts';
import { type IdKind, keptAt } from '../support/id-kinds.ts';
import { type KnownIds, readKnownIds } from '../support/known-ids.ts';
import {
  addSecondDomain,
  DOMAIN_CANARIES,
  guardedEndpoints,
  MESSAGE_CANARY,
  makeFirstWorld,
  nameFinance,
  type Persona,
  reachOf,
  savePlans,
  signInEverybody,
} from '../support/leak-worlds.ts';
import { inTurn } from '../support/property-runs.ts';
import { type IdSlot, idSlotsOf, type Sample, samplesOf } from '../support/request-samples.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { ask, described, differences, firstDifference, type Shown } from '../support/shown-answers.ts';
import { recordStatements, type StatementRecord } from '../support/statement-record.ts';
import { IMAGE_CANARY, makeTenantImage } from '../support/tenant-image.ts';

let service: TestService;
let personas: Persona[];
/** Only finance; then another domain beside it; then another tenant beside them. */
let worlds: { finance: TestDatabase; domains: TestDatabase; tenants: TestDatabase };
const made: TestDatabase[] = [];
const changes: Change[] = [];
let known: KnownIds;
let statements: StatementRecord;

/** Dropped at the end, whatever happens before. */
const kept = (database: TestDatabase) => {
  made.push(database);
  return database;
};

const visit = async (database: TestDatabase) => {
  await service.reconfigure({ SVC_DATABASE_URL: database.url });
  statements = recordStatements(service.runtime().db);
};

beforeAll(async () => {
  const finance = kept(await createSeededDatabase({ itemsPerScope: 8 }));
  service = await startService(finance);
  personas = await signInEverybody(service, finance);
  await makeFirstWorld(service, finance, personas);
  const others = personas.filter(({ principalId }) => principalId !== PERSONA.peopleOwner);
  changes.push(...(await changeEverything(service, finance, others, (reach) => reach !== 'none')));
  await nameFinance(finance);
  await savePlans(finance);
  const domains = kept(await copyOf(finance));
  await visit(domains);
  await addSecondDomain(service, domains, personas);
  const owner = only(PERSONA.peopleOwner);
  changes.push(...(await changeEverything(service, domains, owner, (reach) => reach === 'domains')));
  const tenants = kept(await copyOf(domains));
  await makeTenantImage(tenants);
  worlds = { finance, domains, tenants };
  // It is the same moment in all of them, so that ages are the same.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  for (const world of [finance, domains, tenants])
    await world.inspect(sql`update sessions set last_seen_at = ${new Date(service.clock.now())}`);
});
afterAll(async () => {
  vi.useRealTimers();
  await service.close();
  await Promise.all(made.map((database) => database.drop()));
});

test('what is asked for again, at the same time or later, is answered or refused', () => {
  expect(changes.length).toBeGreaterThan(500);
  expect(changes.filter(({ status }) => status >= 500)).toEqual([]);
  // Each had a body that it accepts: else a rule is missing in `BODY_RULES`.
  const accepted = new Set(changes.filter(({ status }) => status !== 400).map(({ endpoint }) => endpoint));
  const changing = guardedEndpoints().filter(({ method }) => method !== 'GET');
  expect(changing.map(({ name }) => name).filter((name) => !accepted.has(name))).toEqual([NEEDS_A_SIGNATURE]);
});

/** The vendor alone can make a body that it accepts. */
const NEEDS_A_SIGNATURE = 'controlplane-activate';

type Reach = ReturnType<typeof reachOf>;

const turnOf = (endpoint: Endpoint) => guardedEndpoints().findIndex(({ name }) => name === endpoint.name);

/**
 * Of `who`, the personas who call an endpoint: for a change, some of each reach, others at the next endpoint. Nightly,
 * all of them.
 */
function callersOf(endpoint: Endpoint, who: readonly Persona[], most: Readonly<Record<Reach, number>>) {
  const byReach = Map.groupBy(who, (persona) => reachOf(persona, endpoint));
  return [...byReach].flatMap(([reach, personas]) => inTurn(personas, turnOf(endpoint), most[reach]));
}

/** What each persona is shown, by what they asked for. */
async function shownTo(who: readonly Persona[]): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  // Of those who see the whole tenant or some domains, one each; the next endpoint asks others.
  const most = { tenant: 1, domains: 1, none: 0 };
  const reading = guardedEndpoints().filter(({ method }) => method === 'GET');
  for (const endpoint of reading) {
    const able = who.filter((persona) => reachOf(persona, endpoint) !== 'none');
    for (const persona of callersOf(endpoint, able, most)) {
      for (const sample of visibleSamples(persona, endpoint)) {
        const { status, text } = await ask(persona, sample);
        shown.set(described(persona, sample), { persona, endpoint, sample, text: `${status} ${text}` });
      }
    }
  }
  for (const persona of who) {
    for (const { endpoint, sample } of toolSamples(persona)) {
      const { status, text } = await ask(persona, sample);
      const unmarked = text.replaceAll(/untrusted-data-[0-9a-f]{24}/g, 'mark');
      shown.set(described(persona, sample), { persona, endpoint, sample, text: `${status} ${unmarked}` });
    }
  }
  return shown;
}

/** Calls of the tools of the adapter that only read, each with the endpoint that it stands for. */
function toolSamples(persona: Persona): { endpoint: Endpoint; sample: Sample }[] {
  const words = ['', 'invoice', IMAGE_CANARY, ...DOMAIN_CANARIES.map(({ canary }) => canary)];
  const given: Partial<Record<AdapterTool, (endpoint: Endpoint) => object[]>> = {
    search_assets: () => words.map((q) => ({ q, limit: 50 })),
    get_asset: (endpoint) =>
      known
        .visible(persona, endpoint, 'asset')
        .slice(0, 3)
        .map((assetId) => ({ assetId })),
    list_findings: () => [{ status: 'all', limit: 50 }],
    list_coverage: () => [{ limit: 50 }],
    list_taxonomy: () => [{ limit: 50 }, { part: 'labels' }],
  };
  return guardedEndpoints().flatMap((endpoint) =>
    (Object.keys(given) as AdapterTool[]).flatMap((name) => {
      const [{ method, path }] = ADAPTER_TOOLS[name].calls;
      if (method !== endpoint.method || path !== endpoint.path || reachOf(persona, endpoint) === 'none')
        return [];
      return (given[name]?.(endpoint) ?? []).map((args) => {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
        return { endpoint, sample: { method: 'POST' as const, target: '/api/mcp', body } };
      });
    }),
  );
}

/** How many ways to ask an endpoint are tried beside the plainest one, and others at the next endpoint. Nightly, all. */
const OTHER_SAMPLES = 8;

/** Requests for some of what the persona may see, and for words that only others have. */
function visibleSamples(persona: Persona, endpoint: Endpoint): Sample[] {
  const samples = [0, 1, 2].flatMap((n) => {
    const naming = ({ kind }: IdSlot) => {
      const visible = known.visible(persona, endpoint, kind);
      return visible[n % visible.length] ?? 'none';
    };
    // Parts of names of either domain and its types.
    const named = endpoint.name === 'suggestions-list' ? ['fin', 'human', 'pay', 'site', 'docx'] : [];
    const words = ['invoice', ...named, IMAGE_CANARY, ...DOMAIN_CANARIES.map(({ canary }) => canary)];
    return samplesOf(endpoint, naming, { words }).slice(0, n === 0 ? undefined : 1);
  });
  const [plainest, ...others] = new Map(samples.map((sample) => [sample.target, sample])).values();
  return plainest === undefined ? [] : [plainest, ...inTurn(others, turnOf(endpoint), OTHER_SAMPLES)];
}

/** What everybody is shown where there are other domains and other tenants, for two tests: it is most of their time. */
let beside: Awaited<ReturnType<typeof shownTo>>;

const only = (principalId: string) => personas.filter((persona) => persona.principalId === principalId);

test('answers neither depend on other tenants nor hold a word of theirs', async () => {
  await visit(worlds.domains);
  known = await readKnownIds(worlds.domains);
  const alone = await shownTo(personas);
  await visit(worlds.tenants);
  beside = await shownTo(personas);
  expect(alone.size).toBeGreaterThan(200);
  expect(differences(alone, beside)).toEqual([]);
  const byTools = [...beside.values()].filter(({ text }) => text.includes('<mark>'));
  expect(byTools.length).toBeGreaterThan(30);

  known = await readKnownIds(worlds.tenants);
  const ofOthers = [IMAGE_CANARY, ...known.kinds.flatMap(known.ofOtherTenant)];
  expect(ofOthers.length).toBeGreaterThan(50);
  const leaks = [...beside].flatMap(([asked, { persona, endpoint, sample, text }]) => {
    // What was asked for may be said again.
    const said = text.replaceAll(new URL(sample.target, 'http://x').searchParams.get('q') ?? '\0', '');
    return [...ofOthers, ...ofOtherDomains(persona, endpoint)]
      .filter((word) => said.includes(word))
      .map((word) => `${asked}: ${word}`);
  });
  expect(leaks).toEqual([]);
});

/** An action goes on naming these, whatever they are tied to by now. */
const REMEMBERED: readonly IdKind[] = ['asset', 'finding'];

/** Names and ids of what the endpoint keeps from the persona, since it is of other domains. */
const ofOtherDomains = (persona: Persona, endpoint: Endpoint): string[] =>
  reachOf(persona, endpoint) === 'tenant'
    ? []
    : [
        ...DOMAIN_CANARIES.flatMap(({ domainId, canary }) =>
          persona.ownedDomains.includes(domainId) ? [] : [canary],
        ),
        ...known.kinds
          .filter((kind) => !REMEMBERED.includes(kind))
          // Where an asset may be sent is told to whoever may send one: ids and names of domains, and nothing else of them.
          .filter((kind) => kind !== 'domain' || endpoint.name !== 'review-list-destinations')
          .flatMap((kind) => known.foreign(persona, endpoint, kind)),
      ];

test('nobody learns of messages but operators and auditors', async () => {
  const ids = await worlds.tenants.inspect<{ id: string }>(sql`
    select message_id as id from messages union all select container_id from message_containers
    union all select finding_id from message_findings`);
  const words = [MESSAGE_CANARY, ...ids.map(({ id }) => id)];
  expect(words.length).toBeGreaterThan(20);
  const holding = (shown: Shown) => words.some((word) => shown.text.includes(word));
  const operates = (persona: Persona) =>
    persona.roles.some((role) => ['platform_admin', 'auditor'].includes(role));
  const shown = [...beside.values()].filter(holding);
  expect(shown.filter(({ persona }) => !operates(persona)).map(({ sample }) => sample.target)).toEqual([]);
  // The trail says which messages were shown.
  const places = new Set(
    shown.map(({ endpoint }) => endpoint.path).filter((path) => !path.endsWith('/audit')),
  );
  expect([...places].filter((path) => !/^\/api\/(chat|mail)\//.test(path))).toEqual([]);
  expect(places.size).toBe(8);
});

// But for connections, where what is not theirs is told to be there, without a name (specification, *Read models*).
test('what an owner is shown does not depend on what other domains hold', async () => {
  const owner = only(PERSONA.financeOwner);
  await visit(worlds.finance);
  known = await readKnownIds(worlds.finance);
  const alone = await shownTo(owner);
  await visit(worlds.domains);
  const beside = await shownTo(owner);
  expect(alone.size).toBeGreaterThan(30);
  const depending = differences(alone, beside).filter((asked) => !/^\S+ GET \S+\/connections /.test(asked));
  expect(depending).toEqual([]);
});

/** An id of the same shape that names nothing. */
const missing = (id: string) => `${id.slice(0, -4)}zqzq`;

/** Where naming what is foreign is the point, so that the caller learns that it is there. */
const TOLD: readonly string[] = [
  // An owner routes an asset to a domain of somebody else.
  'review-decide body.routedDomainId',
];

test('a foreign id is answered as an unknown one: status, body, headers and statements', async () => {
  await visit(worlds.tenants);
  known = await readKnownIds(worlds.tenants);
  const probed = new Map<string, number>();
  const unlike: string[] = [];
  const most = { tenant: 1, domains: 1, none: 1 };
  for (const endpoint of guardedEndpoints()) {
    const slots = idSlotsOf(endpoint);
    for (const persona of callersOf(endpoint, personas, most)) {
      for (const { slot, kind } of slots) {
        const name = `${endpoint.name} ${slot}`;
        const ofDomains = TOLD.includes(name) ? [] : known.foreign(persona, endpoint, kind);
        for (const foreign of [...ofDomains, ...known.ofOtherTenant(kind).slice(0, 1)]) {
          const samples = samplesNaming(persona, endpoint, slot, foreign);
          const blanks = samplesNaming(persona, endpoint, slot, missing(foreign));
          for (const [index, sample] of samples.entries()) {
            const blank = blanks[index];
            if (blank === undefined) throw new Error(name);
            const [answer, nothing] = [
              await traced(persona, sample, foreign),
              await traced(persona, blank, missing(foreign)),
            ];
            probed.set(name, (probed.get(name) ?? 0) + 1);
            if (answer !== nothing)
              unlike.push(`${described(persona, sample)}: ${firstDifference(answer, nothing)}`);
          }
        }
      }
    }
  }
  expect(unlike).toEqual([]);
  const slots = guardedEndpoints().flatMap((endpoint) =>
    idSlotsOf(endpoint)
      .filter(({ kind }) => !keptAt(kind).natural)
      .map(({ slot }) => `${endpoint.name} ${slot}`),
  );
  // Each of them was really tried, with something that is there.
  expect(slots.filter((slot) => !probed.has(slot))).toEqual([]);
});

/** Samples with `id` in the slot, and in every other one what the persona may see. */
const samplesNaming = (persona: Persona, endpoint: Endpoint, slot: string, id: string) =>
  samplesOf(
    endpoint,
    (other) => (other.slot === slot ? id : (known.visible(persona, endpoint, other.kind)[0] ?? 'none')),
    { rules: BODY_RULES },
  )
    .filter((sample) => JSON.stringify(sample).includes(id))
    .slice(0, reachOf(persona, endpoint) === 'none' ? 1 : 2);

/** Of one exchange alone; and the length and the tag, which follow from the id. */
const PASSING_HEADERS: readonly string[] = [
  'date',
  'x-svc-correlation',
  'x-ms-invocation-id',
  'content-length',
  'etag',
];

/** The answer and what the database was asked for it: the same work takes the same time. Each is the first in its hour. */
async function traced(persona: Persona, sample: Sample, id: string): Promise<string> {
  await worlds.tenants.inspect(sql`delete from not_found_counts`);
  statements.take();
  const { status, text, headers } = await ask(persona, sample);
  const told = [...headers].filter(([name]) => !PASSING_HEADERS.includes(name));
  return JSON.stringify([status, text.replaceAll(id, 'it'), told, statements.take()]);
}
