import { fixtureBytes } from '../../../infra/local/fixture/fixture-content.ts';
import { FIXTURE_GROUPS, FIXTURE_PEOPLE } from '../../../infra/local/fixture/fixture-people.ts';
import type { FixtureItem } from '../../../infra/local/fixture/fixture-store.ts';
import { LABEL_CATALOG } from '../../../infra/local/fixture/label-catalog.ts';
import { seedFixture } from '../../../infra/local/fixture/seed-fixture.ts';
import type { ContentSpec } from './drive-acts.ts';
import type { GrantSpec } from './grants.ts';
import { type FakeLibrary, type GraphFake, type GraphFakeOptions, startGraphFake } from './graph-fake.ts';
import { guidOf } from './ids.ts';
import { DOCUMENTED_PERMISSIONS } from './permissions.ts';
import type { Actor, Group, Label, Person } from './state.ts';
import type { TenantSpec } from './tenant.ts';

/** The company of the mock connector as a tenant of the suite: its people, groups, labels and documents. */
const SEED = 'graph-fake';
const DAY_MS = 86_400_000;

/** Which sites of the mock's company a library holds. */
const LIBRARIES = [
  { site: 'Finance', library: 'Documents', holds: ['site-finance'] },
  { site: 'People', library: 'Documents', holds: ['site-people'] },
  { site: 'General', library: 'Documents', holds: ['site-general', 'site-sales'] },
  { site: 'General', library: 'Projects', holds: ['site-engineering', 'site-legal'] },
] as const;

/** Reads, and subscribes to changes. */
export const READER = {
  clientId: guidOf('application/reader'),
  secret: 'reader-secret-of-the-fixture',
} as const;
/** Writes labels, and nothing else. */
export const WRITER = {
  clientId: guidOf('application/writer'),
  secret: 'writer-secret-of-the-fixture',
} as const;

/** The immutable id that the directory gives to a person or group of the mock's company. */
export const directoryGuidOf = (fixtureId: string): string => guidOf(`directory/${fixtureId}`);

const PEOPLE: readonly Person[] = FIXTURE_PEOPLE.map((person) => ({
  ...{ id: directoryGuidOf(person.directoryId), displayName: person.displayName, mail: person.email },
  ...{ userPrincipalName: person.email ?? `${person.directoryId}@nordwind.example`, guest: false },
  ...{ jobTitle: person.title, department: person.department },
  managerId: person.managerId === null ? null : directoryGuidOf(person.managerId),
}));

const GROUPS: readonly Group[] = FIXTURE_GROUPS.map((group) => ({
  ...{ id: directoryGuidOf(group.groupId), displayName: group.displayName },
  memberIds: group.memberIds.map(directoryGuidOf),
  groupIds: group.groupIds.map(directoryGuidOf),
  ownerIds: group.ownerIds.map(directoryGuidOf),
}));

const LABELS: readonly Label[] = LABEL_CATALOG.map(({ guid, name, rank }) => ({
  ...{ id: guid, name, priority: rank, hasProtection: rank === 3, sublabels: [] },
}));

const actorOf = (email: string): Actor => {
  const person = PEOPLE.find(({ mail }) => mail === email);
  return person === undefined
    ? { id: guidOf(`guest/${email}`), displayName: email }
    : { id: person.id, displayName: person.displayName };
};

const greta = PEOPLE.find(({ displayName }) => displayName === 'Greta Hoffmann');

const tenantSpec = (guests: readonly Person[]): TenantSpec => ({
  name: 'Nordwind',
  apps: [
    { ...READER, permissions: [...DOCUMENTED_PERMISSIONS] },
    { ...WRITER, permissions: ['Files.ReadWrite.All'] },
  ],
  sites: [
    { name: 'Finance', libraries: ['Documents'] },
    { name: 'People', libraries: ['Documents'] },
    { name: 'General', libraries: ['Documents', 'Projects'] },
    {
      ...{ name: 'Greta Hoffmann', path: 'personal/greta_hoffmann', libraries: ['OneDrive'], personal: true },
      ...(greta && { ownerId: greta.id }),
    },
  ],
  people: [...PEOPLE, ...guests],
  groups: GROUPS,
  labels: LABELS,
  domains: ['nordwind.example'],
});

/** Starts the fake with the fixture's tenant. The same documents, people and ids each time. */
export async function startGraphFixture(options: Omit<GraphFakeOptions, 'tenants'> = {}): Promise<GraphFake> {
  const { items } = seedFixture(SEED);
  const guests = guestsOf(items);
  const fake = await startGraphFake({ ...options, tenants: [tenantSpec(guests)] });
  for (const { site, library, holds } of LIBRARIES) {
    const held = items.filter((item) => holds.some((id) => id === item.scopeExternalId));
    for (const [at, item] of held.entries()) addItem(fake.library(site, library), item, at, guests);
  }
  addOddities(fake);
  return fake;
}

/** Those outside with whom something is shared. */
function guestsOf(items: readonly FixtureItem[]): Person[] {
  const mails = new Set(
    items.flatMap(({ grants }) =>
      grants.flatMap((grant) => (grant.principal.includes('@') ? [grant.principal] : [])),
    ),
  );
  return [...mails].map((mail) => ({
    ...{ id: guidOf(`guest/${mail}`), displayName: mail.split('@')[0] ?? mail, mail, guest: true },
    userPrincipalName: `${mail.replace('@', '_')}#EXT#@nordwind.onmicrosoft.example`,
    ...{ jobTitle: null, department: null, managerId: null },
  }));
}

/** Files that are too large to be made are never read: their content is refused. */
const contentOf = (item: FixtureItem): ContentSpec =>
  item.readable
    ? fixtureBytes(item)
    : {
        ...{
          size: item.sizeBytes,
          hash: Buffer.from(guidOf(item.externalId).slice(0, 20)).toString('base64'),
        },
        bytes: () => {
          throw new Error('The content of this item is refused.');
        },
      };

function addItem(library: FakeLibrary, item: FixtureItem, at: number, guests: readonly Person[]): void {
  const created = { by: actorOf(item.modifiedBy), at: Date.parse(item.createdAt) };
  const id = library.add(`${item.folder}/${item.name}`, contentOf(item), created);
  // Every seventh was written by one and finished by another.
  if (at % 7 === 0 && item.readable) {
    library.edit(id, contentOf(item), {
      by: actorOf(PEOPLE[at % PEOPLE.length]?.mail ?? ''),
      at: Date.parse(item.modifiedAt),
    });
  }
  for (const grant of item.grants.filter(({ inherited }) => !inherited)) {
    const guest = guests.find(({ mail }) => mail === grant.principal);
    const spec: GrantSpec =
      guest !== undefined
        ? { to: 'person', personId: guest.id, role: 'read' }
        : {
            to: 'link',
            scope: grant.principalKind === 'anyone' ? 'anonymous' : 'organization',
            type: 'view',
          };
    library.share(id, spec);
  }
  if (item.labelGuid !== null) library.label(id, item.labelGuid);
  if (!item.readable) library.refuseContent(id);
  if (item.format === 'encrypted') library.lock(id, 'fileDoubleKeyEncrypted');
}

/** What only the suite has: notebooks, shortcuts, flagged files, a OneDrive, and every kind of grant. */
function addOddities(fake: GraphFake): void {
  const general = fake.library('General');
  const finance = fake.library('Finance');
  general.addPackage('Team notebook');
  const budgets = finance.addFolder('Planning');
  general.addShortcut('Planning of Finance', { driveId: finance.id, itemId: budgets });
  const flagged = general.add('Transfer/Tool from the internet.txt', 'A file that a scanner flagged.');
  general.flagMalware(flagged);
  const [first, second] = PEOPLE;
  const group = GROUPS[0];
  if (first === undefined || second === undefined || group === undefined) return;
  general.share(general.addFolder('News'), { to: 'everyoneExceptExternal', role: 'read' });
  finance.share(budgets, { to: 'group', groupId: group.id, role: 'read' });
  const until = fake.now() + 30 * DAY_MS;
  finance.share(budgets, { to: 'person', personId: first.id, role: 'write' }, until);
  finance.share(finance.addFolder('Reporting'), {
    ...{ to: 'link', scope: 'users', type: 'edit', personIds: [first.id, second.id] },
  });
  finance.share(finance.addFolder('Tax'), { to: 'invited', email: 'adviser@partner.example', role: 'read' });
  finance.share(finance.addFolder('Treasury'), {
    ...{ to: 'application', clientId: guidOf('application/backup'), name: 'Backup', role: 'read' },
  });
  fake.library('Greta Hoffmann', 'OneDrive').add('Private notes.txt', 'Notes that belong to one person.');
}
