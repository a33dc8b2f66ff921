import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FeedConnector, Grant } from '../../../core/connectors/connector.ts';
import { createGraphConnector } from '../../../core/connectors/m365/graph-connector.ts';
import { clientOf, cloudOf, connectorOf } from '../../support/graph/connect.ts';
import type { GrantSpec } from '../../support/graph/grants.ts';
import type { FakeLibrary, GraphFake } from '../../support/graph/graph-fake.ts';
import { guidOf } from '../../support/graph/ids.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';
import type { Person } from '../../support/graph/state.ts';

const live = new AbortController().signal;
const DAY_MS = 24 * 60 * 60_000;
const person = (name: string, mail: string, userPrincipalName = mail): Person => ({
  ...{ id: guidOf(name), displayName: name, mail, userPrincipalName, guest: false },
  ...{ jobTitle: null, department: null, managerId: null },
});
const ADA = person('Ada', 'ada@small.example');
const JO = person('Jo', 'jo@partner.example');
const OURS = { id: guidOf('label/ours'), name: 'Secret', priority: 1, hasProtection: false, sublabels: [] };
const THEIRS = { labelGuid: guidOf('label/theirs'), tenantId: guidOf('tenant/theirs') };

let now: number;
let fake: GraphFake;
let library: FakeLibrary;
let connector: FeedConnector;
let id: string;
beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  fake = await smallFake(
    {},
    { clock: () => now },
    { people: [ADA, JO], labels: [OURS], domains: ['small.example'] },
  );
  library = fake.library('Finance');
  connector = connectorOf(fake, APP.clientId);
  id = library.add('A/Plan.docx', 'Plan');
});
afterEach(async () => {
  vi.restoreAllMocks();
  expect(fake.violations).toEqual([]);
  await fake.close();
});

/** The grants of the item to people. Besides them it inherits those of the site. */
async function people(): Promise<Grant[]> {
  const read = await connector.getPermissions(library.id, id, live);
  const { grants } = read === 'denied' ? expect.unreachable('The source tells.') : read;
  return grants.filter(({ principalKind }) => principalKind === 'user');
}
const withoutDirectory = () => {
  const app = fake.app(APP.clientId);
  app.permissions = app.permissions.filter((each) => each !== 'Organization.Read.All');
};
const ACCEPTED: GrantSpec = {
  ...{ to: 'person', personId: JO.id, role: 'read', acceptedAs: 'jo@partner.example' },
};
const LINK: GrantSpec = {
  ...{ to: 'link', scope: 'users', type: 'view', personIds: [ADA.id], emails: ['kim@partner.example'] },
};

test('a guest who accepted is external, with and without the permission for domains', async () => {
  library.share(id, ACCEPTED);
  expect(await people()).toMatchObject([{ principal: 'Jo', external: true }]);
  withoutDirectory();
  connector = connectorOf(fake, APP.clientId);
  expect(await people()).toMatchObject([{ principal: 'Jo', external: true }]);
});

test('an address in a link to people is external if it is in no domain of ours', async () => {
  library.share(id, LINK);
  const seen = async () => (await people()).map(({ principal, external }) => [principal, external]);
  expect(await seen()).toEqual([
    ['ada@small.example', false],
    ['kim@partner.example', true],
  ]);
  withoutDirectory();
  connector = connectorOf(fake, APP.clientId);
  expect(await seen()).toEqual([
    ['ada@small.example', false],
    ['kim@partner.example', false],
  ]);
});

test('the domains are read once a day, also by many at once', async () => {
  await Promise.all([people(), people(), people()]);
  now += DAY_MS;
  await people();
  expect(fake.callsOf('organization')).toHaveLength(1);
  now += 1;
  await people();
  expect(fake.callsOf('organization')).toHaveLength(2);
});

test('while the directory does not answer, permissions are not read, and tried again', async () => {
  library.share(id, LINK);
  fake.fail({
    on: 'organization',
    fault: { kind: 'error', status: 500, code: 'generalException' },
    times: 3,
  });
  await expect(people()).rejects.toMatchObject({ retryClass: 'transient' });
  expect(await people()).toMatchObject([{ external: false }, { external: true }]);
});

test('domains that were known hold while the directory does not answer', async () => {
  library.share(id, LINK);
  const known = await people();
  now += DAY_MS + 1;
  fake.fail({
    on: 'organization',
    fault: { kind: 'error', status: 500, code: 'generalException' },
    times: 3,
  });
  expect(await people()).toEqual(known);
  const failed = fake.callsOf('organization').length;
  expect(await people()).toEqual(known);
  expect(fake.callsOf('organization')).toHaveLength(failed);
  fake.noMoreFaults();
  now += 10 * 60_000 + 1;
  expect(await people()).toEqual(known);
  expect(fake.callsOf('organization')).toHaveLength(failed + 1);
});

test('an organization without domains makes nobody external by address', async () => {
  library.share(id, LINK);
  fake.tenant().domains.splice(0);
  expect((await people()).map(({ principal, external }) => [principal, external])).toEqual([
    ['ada@small.example', false],
    ['kim@partner.example', false],
  ]);
});

test.each(['empty', 'reference'] as const)(
  'what a folder grants is inherited by its files: %s',
  async (how) => {
    fake.tenant().quirks.inherited = how;
    const folder = [...library.drive.items.values()].find(({ name }) => name === 'A')?.id ?? '';
    library.share(folder, { to: 'person', personId: ADA.id, role: 'read' });
    library.share(id, { to: 'person', personId: JO.id, role: 'read' });
    expect(await people()).toMatchObject([
      { principal: 'jo@partner.example', inherited: null },
      { principal: 'ada@small.example', inherited: true },
    ]);
  },
);

test('a label of another organization is foreign, and ours counts', async () => {
  library.labelElsewhere(id, THEIRS.labelGuid, THEIRS.tenantId);
  const read = () => connector.getLabel(library.id, id, live);
  expect(await read()).toEqual({ state: 'unlabeled', foreign: [THEIRS] });
  library.label(id, OURS.id);
  const both = { state: 'labeled', labelGuid: OURS.id, labelName: 'Secret', foreign: [THEIRS] };
  expect(await read()).toEqual(both);
  fake.tenant().quirks.labelsUnderValue = true;
  expect(await read()).toEqual(both);
});

test('without the id of our tenant, labels with a tenant are unknown', async () => {
  library.label(id, OURS.id);
  const byName = () =>
    createGraphConnector({
      ...{ client: clientOf(fake, APP.clientId), cloud: cloudOf(fake), readsLabels: true },
      ...{ selected: { family: 'm365', sites: 'all' }, tenantId: 'small.example', clock: fake.now },
    });
  expect(await byName().getLabel(library.id, id, live)).toMatchObject({ state: 'labeled' });
  withoutDirectory();
  expect(await byName().getLabel(library.id, id, live)).toEqual({ state: 'unknown' });
});

/** Has the feed give entries of an id and a facet alone. */
function ghostsInFeed(): void {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init);
    if (!new URL(String(input)).pathname.endsWith('/delta')) return response;
    const page = (await response.json()) as { value: Record<string, unknown>[] };
    const ghost = ({ id, root, file, folder }: Record<string, unknown>) => ({
      ...{ id, ...(root !== undefined && { root, name: 'root' }) },
      ...{ ...(file !== undefined && { file: {} }), ...(folder !== undefined && { folder: {} }) },
    });
    return Response.json({ ...page, value: [...page.value.map(ghost), { id: '01GHOST', file: {} }] });
  });
}

test('an entry with an id and a facet alone replaces no name, folder or version', async () => {
  const whole = await connector.listItems(library.id, null, live);
  ghostsInFeed();
  const ghosts = await connector.listItems(library.id, null, live);
  // The feed has no paths, which the service derives of the folders.
  const withoutPath = ({ items }: typeof whole) => items.map(({ path: _, ...item }) => item);
  expect(withoutPath(ghosts)).toEqual(withoutPath(whole));
  expect(ghosts.folders?.filter(({ name }) => name !== '')).toEqual(
    whole.folders?.filter(({ name }) => name !== ''),
  );
  expect(ghosts.leftOut).toEqual(['unreadable']);
});

test('an item that is answered in part is neither renamed nor taken for deleted', async () => {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init);
    return String(input).includes('/items/') ? Response.json({ id }) : response;
  });
  await expect(connector.getItem(library.id, id, live)).rejects.toMatchObject({
    ...{ retryClass: 'transient', safeDiagnostic: 'graph_item_malformed' },
  });
});
