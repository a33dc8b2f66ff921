import { fixtureBytes } from '../../../../infra/local/fixture/fixture-content.ts';
import type { FixtureItem } from '../../../../infra/local/fixture/fixture-store.ts';
import { seedFixture } from '../../../../infra/local/fixture/seed-fixture.ts';
import { type DriveFake, type FakePermission, FOLDER, userPermission } from '../drive-fake.ts';

export const ADMIN = 'admin@nordwind.example';
const GRETA = 'greta.hoffmann@nordwind.example';
const GOOGLE = 'application/vnd.google-apps.';

/** Which sites of the made-up company a drive holds: shared ones by their ids, and one of a person. */
const DRIVES = [
  { id: '0AFinance', name: 'Finance', holds: ['site-finance'] },
  { id: '0APeople', name: 'People', holds: ['site-people'] },
  { id: '0AProjects', name: 'Projects', holds: ['site-engineering', 'site-legal'] },
  { id: GRETA, name: 'Greta Hoffmann', holds: ['site-general', 'site-sales'] },
] as const;

/** The drives that people use, in the order in which they are shown. */
export const SELECTED: readonly { id: string; name: string }[] = DRIVES;

/** Every second of these is a document that Google keeps, without bytes of its own and without an extension. */
const NATIVE: Readonly<Record<string, string>> = {
  docx: `${GOOGLE}document`,
  xlsx: `${GOOGLE}spreadsheet`,
  pptx: `${GOOGLE}presentation`,
};

const TYPES: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  pdf: 'application/pdf',
  csv: 'text/csv',
  txt: 'text/plain',
  html: 'text/html',
  eml: 'message/rfc822',
};

/** A link for anyone, as a person makes it. */
export const LINK: FakePermission = { id: 'anyoneWithLink', type: 'anyone', role: 'reader' };
const DOMAIN: FakePermission = {
  ...{ id: 'domain', type: 'domain', role: 'reader', domain: 'nordwind.example' },
};

/** Fills the fake with the documents of the made-up company, and with what only Google Drive has. */
export function fillDrives(fake: DriveFake): void {
  for (const person of [ADMIN, GRETA]) fake.act.addPerson(person);
  const { items } = seedFixture('drive-fake');
  for (const { id, name, holds } of DRIVES) {
    if (id !== GRETA)
      fake.act.addDrive(id, name, [
        userPermission(GRETA, 'organizer'),
        { ...userPermission(`${name.toLowerCase()}@nordwind.example`, 'writer'), type: 'group' },
      ]);
    const folderAt = folders(fake, id);
    const held = items.filter((item) => holds.some((site) => site === item.scopeExternalId));
    for (const [at, item] of held.entries()) addItem(fake, id, folderAt(item.folder), item, at);
  }
  addOddities(fake);
}

/** The folder at a path, with those above it. */
function folders(fake: DriveFake, drive: string) {
  const made = new Map<string, string>();
  const folderAt = (path: string): { parents?: string[] } => {
    if (path === '') return {};
    const known = made.get(path);
    if (known !== undefined) return { parents: [known] };
    const [, above = '', name = path] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
    const id = fake.act.add(drive, name, '', { mimeType: FOLDER, ...folderAt(above) });
    made.set(path, id);
    return { parents: [id] };
  };
  return folderAt;
}

function addItem(
  fake: DriveFake,
  drive: string,
  folder: { parents?: string[] },
  item: FixtureItem,
  at: number,
): void {
  const native = at % 2 === 0 && item.readable ? NATIVE[item.format] : undefined;
  const { readable, modifiedBy } = item;
  const name = native === undefined ? item.name : item.name.replace(/\.\w+$/, '');
  fake.act.add(drive, name, readable ? Buffer.from(fixtureBytes(item)) : '', {
    ...folder,
    mimeType: native ?? TYPES[item.format] ?? 'application/octet-stream',
    permissions: item.grants.filter(({ inherited }) => !inherited).map(permissionOf),
    canDownload: readable,
    modifiedTime: item.modifiedAt,
    modifiedBy,
  });
}

const permissionOf = ({ principal, principalKind }: FixtureItem['grants'][number]): FakePermission =>
  principalKind === 'anyone'
    ? LINK
    : principalKind === 'organization'
      ? DOMAIN
      : userPermission(principal, 'reader');

/** What only Google Drive has: shortcuts, forms, contents that are refused, a trash, and every kind of grant. */
function addOddities({ act }: DriveFake): void {
  const [finance, people, projects] = DRIVES.map(({ id }) => id) as [string, string, string];
  act.add(projects, 'Planning of Finance', '', { mimeType: `${GOOGLE}shortcut` });
  act.add(people, 'Feedback on the canteen', '', { mimeType: `${GOOGLE}form` });
  act.add(projects, 'Tool from the internet.txt', 'A file that a scanner flagged.', { isAbusive: true });
  act.add(people, 'Sealed by the client.docx', 'x', { mimeType: TYPES.docx ?? '', isEncrypted: true });
  const old = act.add(finance, 'Old price list.txt', 'IBAN DE89370400440532013000');
  act.trash(old);
  const advisers = act.add(finance, 'For the tax adviser', '', { mimeType: FOLDER });
  act.add(finance, 'Questions of the tax adviser.txt', 'VAT of 2025, IBAN DE89370400440532013000.', {
    parents: [advisers],
  });
  act.share(advisers, userPermission('adviser@partner.example', 'commenter'));
  const board = act.add(GRETA, 'Board', '', { mimeType: FOLDER });
  act.add(GRETA, 'Minutes of the board.txt', 'Minutes of the board: the bonus of 2025.', {
    parents: [board],
  });
  act.share(board, {
    ...userPermission('interim@partner.example', 'reader'),
    expirationTime: '2025-12-31T00:00:00.000Z',
  });
}
