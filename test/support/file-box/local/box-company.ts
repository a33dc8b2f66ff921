import { fixtureBytes } from '../../../../infra/local/fixture/fixture-content.ts';
import { FIXTURE_PEOPLE } from '../../../../infra/local/fixture/fixture-people.ts';
import type { FixtureItem } from '../../../../infra/local/fixture/fixture-store.ts';
import { LABEL_CATALOG, labelByGuid } from '../../../../infra/local/fixture/label-catalog.ts';
import { seedFixture } from '../../../../infra/local/fixture/seed-fixture.ts';
import type { BoxFake } from '../box-fake.ts';
import type { BoxWorld, FakeItem } from '../box-world.ts';

/** Which sites of the made-up company a folder holds. */
const FOLDERS = [
  { name: 'Finance', holds: ['site-finance'] },
  { name: 'Sales', holds: ['site-sales'] },
  { name: 'Operations', holds: ['site-operations'] },
  { name: 'Customer support', holds: ['site-support', 'site-general'] },
] as const;

const CHIEF = 'Greta Hoffmann';
/** Of people outside, the first of whom Box has by itself. */
const PARTNER = '201';

/**
 * Fills the fake with the documents of the made-up company, and with what only Box has. The service account is invited to
 * each folder.
 * @returns the ids of the folders
 */
export function fillBox({ world, authority }: BoxFake): string[] {
  world.classifications.splice(0, world.classifications.length, ...LABEL_CATALOG.map(({ name }) => name));
  const idOf = addPeople(world);
  const ownerId = idOf(CHIEF);
  const { items } = seedFixture('box-fake');
  const tops = FOLDERS.map(({ name, holds }) => {
    const top = world.addFolder(name, '0', { ownerId });
    world.invite('folder', top, { role: 'viewer', userId: authority.accountId });
    const folderAt = folders(world, top);
    for (const item of items.filter((each) => holds.some((site) => site === each.scopeExternalId)))
      addItem(world, folderAt(item.folder), item, idOf);
    return top;
  });
  addOddities(world, tops);
  return tops;
}

/** The people of the company. Whoever is none of them is taken for the chief. */
function addPeople(world: BoxWorld): (nameOrMail: string) => string {
  const ids = new Map(
    FIXTURE_PEOPLE.flatMap(({ displayName, email }, at) => {
      const { id, login } = world.addUser(
        String(10_001 + at),
        displayName,
        email ?? `person-${at}@nordwind.example`,
      );
      return [
        [displayName, id],
        [login, id],
      ] as const;
    }),
  );
  const chief = ids.get(CHIEF);
  if (chief === undefined) throw new Error('The company has no chief.');
  return (nameOrMail) => ids.get(nameOrMail) ?? chief;
}

/** The folder at a path, with those above it. */
function folders(world: BoxWorld, top: string) {
  const made = new Map([['', top]]);
  const folderAt = (path: string): string => {
    const known = made.get(path);
    if (known !== undefined) return known;
    const [, above = '', name = path] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
    const id = world.addFolder(name, folderAt(above));
    made.set(path, id);
    return id;
  };
  return folderAt;
}

function addItem(world: BoxWorld, folder: string, item: FixtureItem, idOf: (mail: string) => string): void {
  const { readable, createdAt, modifiedAt } = item;
  const id = world.addFile(item.name, folder, readable ? Buffer.from(fixtureBytes(item)) : '', {
    classification: labelByGuid(item.labelGuid ?? '')?.name ?? null,
    canDownload: readable,
    unready: 0,
    createdAt,
    modifiedAt,
    modifiedBy: idOf(item.modifiedBy),
  });
  for (const { principal, principalKind, inherited } of item.grants) {
    if (inherited) continue;
    if (principalKind === 'user')
      world.invite('file', id, { role: 'viewer', inviteEmail: principal, status: 'pending' });
    else world.share('file', id, { access: principalKind === 'anyone' ? 'open' : 'company' });
  }
}

/** What only Box has: web links, locks, watermarks, contents that a policy refuses, a trash, and kinds of sharing. */
function addOddities(
  world: BoxWorld,
  [finance = '', sales = '', operations = '', support = '']: string[],
): void {
  const file = (name: string, folder: string, text: string, more: Partial<FakeItem> = {}) =>
    world.addFile(name, folder, text, { unready: 0, ...more });
  world.addWebLink('Prices of the market', sales);
  file('Not ready yet.txt', support, 'This file was just uploaded.', { unready: 1 });
  file('Draft of the offer.txt', sales, 'An offer of 12,000 EUR.', {
    lockedUntil: '2027-01-01T00:00:00+00:00',
  });
  file('Floor plan.txt', operations, 'The floor plan of the plant.', { isWatermarked: true });
  file('Tool from the internet.txt', operations, 'A file that Shield flagged.', { policy: 'malware' });
  file('For some devices only.txt', finance, 'x', { policy: 'access_policy' });
  world.remove('file', file('Old price list.txt', finance, 'IBAN DE89370400440532013000'));
  const advisers = world.addFolder('For the tax adviser', finance);
  file('Questions of the tax adviser.txt', advisers, 'VAT of 2025, IBAN DE89370400440532013000.');
  world.invite('folder', advisers, { role: 'viewer', userId: PARTNER });
  const press = world.addFolder('Press', sales);
  file('Release for the press.txt', press, 'Nordwind presents the new heat pump.');
  world.share('folder', press, { access: 'open', password: true });
}
