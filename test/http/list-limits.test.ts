import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import { endpoints } from '../../core/http/endpoint.ts';
import { APPEND_ONLY } from '../support/append-only.ts';
import { type Caller, startService, type TestService } from '../support/client.ts';
import { crowd } from '../support/crowded-tenant.ts';
import type { TestDatabase } from '../support/database.ts';
import { inTurn, NIGHTLY } from '../support/property-runs.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** How many a list shows at most (specification, *Limits*, where it says so), and what else it is asked. */
const LIMITS: Readonly<Record<string, { limit: number; queries?: readonly string[] }>> = {
  '/api/actions': { limit: 100, queries: ['?sort=-changed', '?domainId=dom_finance'] },
  '/api/admin/notifications/recent': { limit: 100 },
  '/api/admin/notifications/subscriptions': { limit: 200 },
  '/api/admin/principals': {
    limit: 500,
    queries: ['?q=same', '?status=active', '?domainId=dom_finance', '?sort=-lastSignIn'],
  },
  '/api/assets': {
    limit: 200,
    queries: [
      '?q=same',
      '?q=sa',
      '?labelState=unlabeled',
      '?riskSeverity=high',
      '?informationTypeId=ift_invoices',
      '?domainId=dom_finance',
      '?sort=-risk',
    ],
  },
  '/api/audit': { limit: 200, queries: ['?category=config', '?type=same&sort=at'] },
  '/api/auth/dev/personas': { limit: 200 },
  '/api/chat/channels': { limit: 200, queries: ['?coverage=partial'] },
  '/api/chat/findings': { limit: 200, queries: ['?status=all', '?kind=identifiers'] },
  '/api/chat/messages': {
    limit: 200,
    queries: ['?detectorId=iban', '?identifiers=proven', '?outsiders=with'],
  },
  '/api/findings': {
    limit: 200,
    queries: [
      '?status=open',
      '?status=all',
      '?kind=label',
      '?sort=-changed',
      '?sort=due',
      '?domainId=dom_finance',
    ],
  },
  '/api/findings/by-asset': { limit: 200, queries: ['?status=open', '?status=all'] },
  '/api/governance/ai-usage': { limit: 500, queries: ['?month=2026-01'] },
  '/api/governance/labels': { limit: 200 },
  '/api/governance/owners': { limit: 500, queries: ['?domainId=dom_finance'] },
  '/api/governance/regulatory-mappings': { limit: 200, queries: ['?domainId=dom_finance'] },
  '/api/mail/findings': { limit: 200, queries: ['?severity=medium'] },
  '/api/mail/mailboxes': { limit: 200 },
  '/api/mail/messages': { limit: 200, queries: ['?sentFrom=2025-01-01T00:00:00Z'] },
  '/api/models/dataset-candidates': { limit: 200, queries: ['?status=approved'] },
  '/api/models/datasets': { limit: 100 },
  '/api/models/governed-releases': { limit: 50 },
  '/api/governance/suppressions': { limit: 200, queries: ['?status=rejected'] },
  '/api/onboarding/policy-documents': { limit: 50 },
  '/api/review/decisions': {
    limit: 200,
    queries: ['?domainId=dom_finance', '?decision=need_more_evidence&sort=decided'],
  },
  '/api/review/queue': { limit: 200, queries: ['?domainId=dom_finance'] },
  '/api/scans': { limit: 50, queries: ['?status=completed&kind=inventory', '?sort=created'] },
  '/api/sources': { limit: 200 },
  '/api/tasks': { limit: 100, queries: ['?status=open', '?sort=created'] },
};

/** Lists of what is never more, or that have tests of their own for what they leave out. */
const UNCROWDED = [
  // One item for each family and instance of the configuration.
  '/api/admin/connectors',
  // Set as a whole, and never more than the list shows.
  '/api/admin/scan-rules',
  // One item for each kind.
  '/api/admin/retention',
  // With a test of its own.
  '/api/admin/schedules',
  '/api/analyst/history',
  // Saved by people, at most as many each as the list shows.
  '/api/analyst/plans',
  '/api/assets/{id}/semantic-neighbors',
  // Each has a number of its own.
  '/api/audit/checkpoints',
  // Of one person each, with tests of their own: the history of the analyst and the sessions.
  '/api/auth/sessions',
  '/api/governance/detectors',
  '/api/governance/directory/groups',
  '/api/governance/directory/groups/{id}/people',
  '/api/governance/directory/people',
  '/api/governance/owner-suggestions',
  '/api/governance/taxonomy',
  '/api/landscape',
  // At most ten, with a test of its own.
  '/api/suggestions',
  // Of days that a timer has measured, with tests of their own.
  '/api/trends',
];

const CALLERS = [
  PERSONA.platformAdmin,
  PERSONA.governanceAdmin,
  PERSONA.financeOwner,
  PERSONA.approver,
  PERSONA.auditor,
];

/** Other ways to the same rows. */
const PLANS = [
  ['indexscan', 'indexonlyscan', 'bitmapscan', 'nestloop'],
  ['seqscan', 'hashjoin', 'mergejoin', 'sort'],
];

type List = { items: object[]; truncated: boolean };

let database: TestDatabase;
let service: TestService;
/** Who may read which list: a refusal would be an event, and change what is audited. */
let readers: { caller: Caller; name: string; path: string }[];
/** What the lists show first. */
let first: Map<string, List>;
let admin: Caller;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  await crowd(service, database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  readers = [];
  const callers = await Promise.all(CALLERS.map((name) => service.signInAs(name)));
  for (const [turn, path] of Object.keys(LIMITS).entries()) {
    const able: typeof readers = [];
    for (const caller of callers)
      if ((await caller.get(path)).status === 200) able.push({ caller, name: caller.principalId, path });
    // The owner is shown some domains alone. Of the others, who mostly ask for the same, one asks for each list.
    const [owners, others] = [true, false].map((owns) =>
      able.filter(({ name }) => (name === PERSONA.financeOwner) === owns),
    );
    readers.push(...(owners ?? []), ...inTurn(others ?? [], turn, 1));
  }
  first = await allLists();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

test('every list is placed: crowded here, or left out for a reason', () => {
  const lists = endpoints().filter(
    ({ method, response }) =>
      method === 'GET' && response !== undefined && 'items' in (z.toJSONSchema(response).properties ?? {}),
  );
  expect(lists.map(({ path }) => path)).toEqual([...Object.keys(LIMITS), ...UNCROWDED].sort());
});

/** What each list shows each caller who may read it. */
async function allLists(): Promise<Map<string, List>> {
  const lists = new Map<string, List>();
  for (const { caller, name, path } of readers) {
    for (const query of ['', ...(LIMITS[path]?.queries ?? [])]) {
      const { status, body } = await caller.get<List>(`${path}${query}`);
      expect(status, `${name} ${path}${query}`).toBe(200);
      lists.set(`${name} ${path}${query}`, body);
    }
  }
  return lists;
}

test('no list is longer than its limit, and each says that there is more', async () => {
  const crowded = new Set<string>();
  for (const [asked, { items, truncated }] of first) {
    const path = asked.split(/[ ?]/)[1] ?? '';
    const limit = LIMITS[path]?.limit ?? 0;
    expect(items.length, asked).toBeLessThanOrEqual(limit);
    expect(new Set(items.map((item) => JSON.stringify(item))).size, asked).toBe(items.length);
    if (truncated) {
      expect(items.length, asked).toBe(limit);
      crowded.add(path);
    }
  }
  expect([...crowded].sort()).toEqual(Object.keys(LIMITS).sort());
});

test('what is alike in every way keeps its order, however the rows lie and are found', async () => {
  const deadLetters = async () => {
    const { body } = await admin.get<{ deadLetters: object[] }>('/api/ops/overview');
    return ['dead letters', { items: body.deadLetters, truncated: true }] as const;
  };
  const before = new Map([...first, await deadLetters()]);
  const moved = async () => {
    const now = new Map([...(await allLists()), await deadLetters()]);
    return [...before]
      .filter(([asked, list]) => JSON.stringify(now.get(asked)) !== JSON.stringify(list))
      .map(([asked]) => asked);
  };
  await shuffle();
  const differing = [{ after: 'moving rows', lists: await moved() }];
  for (const methods of NIGHTLY ? PLANS : []) {
    await planWithout(methods);
    differing.push({ after: `planning without ${methods.join(', ')}`, lists: await moved() });
  }
  await planWithout([]);
  expect(differing.filter(({ lists }) => lists.length > 0)).toEqual([]);
});

/** Paths of lists of which a caller may want fewer items. */
const limitedPaths = (): string[] =>
  endpoints()
    .filter(({ query }) => query instanceof z.ZodObject && 'limit' in query.shape)
    .map(({ path }) => path);

test('of some lists fewer items may be wanted, which are the first of the whole', async () => {
  expect(limitedPaths()).toEqual([
    '/api/actions',
    '/api/assets',
    '/api/audit',
    '/api/chat/channels',
    '/api/chat/findings',
    '/api/chat/messages',
    '/api/findings',
    '/api/mail/findings',
    '/api/mail/mailboxes',
    '/api/mail/messages',
    '/api/review/decisions',
    '/api/review/queue',
    '/api/tasks',
  ]);
  const met = new Set<string>();
  for (const { caller, name, path } of readers.filter((reader) => limitedPaths().includes(reader.path))) {
    // Who has a session may ask for actions and tasks, and may see none.
    if ((await caller.get<List>(path)).body.items.length === 0) continue;
    met.add(path);
    const queries = ['?', ...(LIMITS[path]?.queries ?? []).map((each) => `${each}&`)];
    for (const [turn, query] of queries.entries()) {
      const most = LIMITS[path]?.limit ?? 0;
      const { body: whole } = await caller.get<List>(`${path}${query}limit=${most}`);
      expect(whole.items.length, `${name} ${path}${query}`).toBeGreaterThan(most / 2);
      const limits = [1, 50, 51, 99, 100, 199].filter((each) => each < most);
      for (const limit of inTurn(limits, turn, 1)) {
        const asked = `${path}${query}limit=${limit}`;
        const { items, truncated } = (await caller.get<List>(asked)).body;
        expect({ items, truncated }, `${name} ${asked}`).toEqual({
          items: whole.items.slice(0, limit),
          truncated: whole.truncated || whole.items.length > limit,
        });
      }
    }
  }
  expect([...met].sort()).toEqual(limitedPaths());
});

test.each(['abc', '0', '201', '-1', '1.5', '', '1e2', '%205', '+5', '05', '5&limit=6', '5%00'])(
  'limit=%s is refused',
  async (limit) => {
    for (const { caller, path } of readers.filter((reader) => limitedPaths().includes(reader.path))) {
      const { status, body } = await caller.get<{ error: string }>(`${path}?limit=${limit}`);
      expect([status, body.error], path).toEqual([400, 'validation_failed']);
    }
  },
);

test('an export takes no limit: it holds all', async () => {
  const auditor = await service.signInAs(PERSONA.auditor);
  for (const list of ['assets', 'findings', 'actions', 'tasks', 'audit', 'scans', 'principals']) {
    const answer = await auditor.get<{ error: string }>(`/api/exports/${list}?format=ndjson&limit=5`);
    expect([answer.status, answer.body.error], list).toEqual([400, 'validation_failed']);
  }
});

test('operations are told of the newest 50 dead letters and 100 log lines', async () => {
  const { body } = await admin.get<{ deadLetters: object[]; recentLogs: object[] }>('/api/ops/overview');
  expect([body.deadLetters.length, body.recentLogs.length]).toEqual([50, 100]);
});

/** Writes half of the rows of every table again, in no order, and clears away what they were. */
async function shuffle(): Promise<void> {
  const tables = await database.inspect<{ name: string }>(sql`
    select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and c.relname <> all(${[...APPEND_ONLY]}::text[])`);
  await withClient(database.adminUrl, async (client) => {
    // Nothing of the rows changes, so there is nothing for a trigger to do.
    await client.query('set session_replication_role = replica');
    for (const { name } of tables) {
      await client.query(
        `update "${name}" set tenant_id = tenant_id where random() < 0.5 and tenant_id = '${DEV}'`,
      );
    }
    await client.query('vacuum analyze');
  });
}

/** Keeps new connections of this database from these ways of finding rows. */
async function planWithout(methods: readonly string[]): Promise<void> {
  const name = sql.ident(new URL(database.url).pathname.slice(1));
  await database.inspect(sql`alter role test_runtime in database ${name} reset all`);
  for (const method of methods) {
    await database.inspect(
      sql`alter role test_runtime in database ${name} set ${sql.ident(`enable_${method}`)} = off`,
    );
  }
  await service.reconfigure({});
}
