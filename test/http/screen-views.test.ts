import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, EXCERPTS, invoices, payroll, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** Part of every name that belongs to the people of Human Resources alone. */
const FOREIGN = 'Umbraxis';

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let people: SignedIn;

/** Bytes that assets of both domains share. */
const contentHash = 'aa'.repeat(32);

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_open', name: 'Open.docx', said: [invoices()], contentHash, excerpts: EXCERPTS },
    { assetId: 'ast_copy', name: 'Copy.docx', said: [invoices()], contentHash, excerpts: EXCERPTS },
    { assetId: 'ast_ours', name: 'Ours.docx', said: [invoices(), payroll()], contentHash },
  ]);
  await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
    registerScopes(
      tx,
      'm365',
      'mock',
      ['Ledger', `${FOREIGN} vault`].map((name) => ({ externalId: name, name, kind: 'site' })),
      Date.now(),
    ),
  );
  await database.inspect(sql`update scopes set expected_domain_id = 'dom_finance' where name = 'Ledger'`);
  await database.inspect(
    sql`update scopes set expected_domain_id = 'dom_human_resources' where name like ${`${FOREIGN}%`}`,
  );
  await database.inspect(
    sql`update domains set name = ${`${FOREIGN} people`} where domain_id = 'dom_human_resources'`,
  );
  await database.inspect(sql`
    update information_types set name = ${`${FOREIGN} `} || name where domain_id = 'dom_human_resources'`);
  await decided(finance, await review.candidateOf('ast_ours', 'dom_finance'), { decision: 'mine' });
  await draftOn(finance, 'ast_ours', 'Ours');
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

async function draftOn(who: SignedIn, targetAssetId: string, taskTitle: string) {
  const justification = 'Somebody has to look';
  const body = { kind: 'internal_task', targetAssetId, justification, taskTitle };
  const { status, body: drafted } = await who.post<{ actionId: string }>('/api/actions', body);
  expect(status).toBe(200);
  return drafted.actionId;
}

/** What feeds a view of the console, and what it shows there. At most three calls. */
type View = { calls: readonly (() => Promise<string>)[]; shows: readonly string[] };

const path = async (prefix: string, id: Promise<string> | string, suffix = '') =>
  `${prefix}${await id}${suffix}`;
const openQuestion = () => review.candidateOf('ast_open', 'dom_finance');
const firstAction = async () =>
  (await finance.get<{ items: { actionId: string }[] }>('/api/actions')).body.items[0]?.actionId ?? '';

const VIEWS: Readonly<Record<string, View>> = {
  Review: {
    calls: [
      async () => '/api/review/queue',
      () => path('/api/review/candidates/', openQuestion(), '?excerpts=none'),
      () => path('/api/review/candidates/', openQuestion()),
    ],
    shows: [
      ...[
        'summary',
        'confidenceInWords',
        'exposureInWords',
        'labelState',
        'modifiedBy',
        'sourceUrl',
        'relatedCount',
      ],
      ...['access', 'contributions', 'related', 'reranks', 'excerpts', 'revision', 'riskSeverity'],
    ],
  },
  Asset: {
    calls: [
      async () => '/api/assets/ast_ours',
      async () => '/api/assets/ast_ours/connections',
      async () => '/api/assets/ast_ours/semantic-neighbors',
    ],
    shows: [
      ...['signals', 'provenance', 'principalName', 'permissions', 'label', 'findings', 'toDo', 'clusters'],
      ...['versions', 'nodes', 'edges'],
    ],
  },
  Findings: {
    calls: [
      async () => '/api/findings/by-asset',
      async () => '/api/findings?status=all&sort=due',
      async () => '/api/findings/facets?status=all',
    ],
    shows: [
      ...['total', 'totalIsExact', 'counted', 'actionKind', 'domainId'],
      'toDo',
      'requiredLabel',
      'expectedPlaces',
      'proposedAction',
      'path',
      'sourceUrl',
      'since',
      'dueAt',
    ],
  },
  'Actions and tasks': {
    calls: [async () => '/api/actions', async () => '/api/tasks', () => path('/api/actions/', firstAction())],
    shows: ['currentState', 'desiredState', 'status', 'requester', 'history', 'total', 'totalIsExact'],
  },
  'Filters of actions and tasks': {
    calls: [
      async () => '/api/actions/facets',
      async () => '/api/tasks/facets',
      async () => '/api/actions?mine=requested&sort=changed',
    ],
    shows: ['counted', 'isExact', 'kind', 'domainId'],
  },
};

/** What a view shows a caller: the answers without what a clock or a session alone changes. */
async function shown(who: SignedIn, { calls }: View): Promise<string[]> {
  const texts: string[] = [];
  for (const call of calls) {
    const { status, text } = await who.get(await call());
    expect(status).toBe(200);
    texts.push(text);
  }
  return texts;
}

test.each(Object.entries(VIEWS))('%s is fed by at most three calls', async (_, view) => {
  expect(view.calls.length).toBeLessThanOrEqual(3);
  const text = (await shown(finance, view)).join('\n');
  for (const member of view.shows) expect(text, member).toContain(`"${member}":`);
});

test('no view shows an owner a name of a foreign domain', async () => {
  for (const [name, view] of Object.entries(VIEWS))
    for (const text of await shown(finance, view)) expect(text, name).not.toContain(FOREIGN);
  // It is there for those whose it is.
  expect((await people.get('/api/review/queue')).text).toContain(FOREIGN);
});

test('no view counts what a foreign domain holds', async () => {
  const before = new Map<string, string[]>();
  for (const [name, view] of Object.entries(VIEWS)) before.set(name, await shown(finance, view));
  // More copies of the same bytes, in the other domain only, with answers, findings and an action.
  await storeScanned(
    database.db,
    DEV,
    [0, 1, 2].map((at) => ({
      assetId: `ast_theirs_${at}`,
      name: `${FOREIGN} ${at}.docx`,
      said: [payroll()],
      contentHash,
    })),
  );
  await draftOn(people, 'ast_theirs_0', `${FOREIGN} task`);
  for (const [name, view] of Object.entries(VIEWS)) {
    const after = await shown(finance, view);
    for (const [index, text] of after.entries()) {
      // The graph says that something is there that the reader may not see, without a name (specification, *Read models*).
      if (name === 'Asset' && index === 1) expect(text).not.toContain(FOREIGN);
      else expect(text, `${name} ${index}`).toBe(before.get(name)?.[index]);
    }
  }
});
