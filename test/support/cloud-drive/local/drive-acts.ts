import { type Acted, type Asked, isText, NEW_TEXT, type ShownItem } from '../../local-clouds/acts.ts';
import { type DriveFake, type FakeFile, type FakePermission, FOLDER } from '../drive-fake.ts';
import { LINK, SELECTED } from './drive-company.ts';

const DRIVE_ACTS = ['add', 'edit', 'share', 'restrict', 'rename', 'trash', 'restore'] as const;
export type DriveAct = (typeof DRIVE_ACTS)[number];

/** The acts of people in the fake. */
export const driveActs = (fake: DriveFake): Acted<DriveAct> => ({
  name: 'Google Drive',
  hint: 'The service asks for changes every half minute, and reads what changed.',
  acts: DRIVE_ACTS,
  libraries: () =>
    SELECTED.map(({ id, name }) => ({
      libraryId: scopeOf(id),
      name,
      answers: null,
      acts: ['add'] as const,
      items: [...fake.files.values()]
        .filter((file) => isShown(file) && (file.driveId ?? file.owner) === id)
        .map((file) => shown(fake, file))
        .sort((a, b) => a.path.localeCompare(b.path, 'en')),
    })),
  act: (asked) => actAsUser(fake, asked),
});

const scopeOf = (id: string): string => (id.includes('@') ? `person:${id}` : `drive:${id}`);

/** A shortcut is none of the service's items. */
const isShown = ({ mimeType }: FakeFile): boolean => !mimeType.endsWith('.shortcut');

function shown(fake: DriveFake, file: FakeFile): ShownItem<DriveAct> {
  const path = [file, ...fake.above(file)].map(({ name }) => name).reverse();
  return {
    ...{
      itemId: file.id,
      path: path.join('/'),
      kind: file.mimeType === FOLDER ? 'folder' : 'file',
      label: null,
    },
    ...{
      sharedWith: file.permissions.map(sharedWith),
      deleted: fake.isTrashed(file),
      acts: actsFor(fake, file),
    },
  };
}

const sharedWith = ({ type, emailAddress, domain, role, expirationTime }: FakePermission): string =>
  `${emailAddress ?? domain ?? 'anyone with the link'} (${role}${expirationTime === undefined ? '' : `, until ${expirationTime.slice(0, 10)}`})${type === 'group' ? ' group' : ''}`;

function actsFor(fake: DriveFake, file: FakeFile): DriveAct[] {
  const isFolder = file.mimeType === FOLDER;
  // A folder that comes back brings what is in it without an entry, so only files do here.
  if (fake.isTrashed(file)) return file.trashed && !isFolder ? ['restore'] : [];
  const hasLink = file.permissions.some(({ type }) => type === 'anyone');
  const always: DriveAct[] = [
    ...(hasLink ? [] : (['share'] as const)),
    ...(file.permissions.length > 0 ? (['restrict'] as const) : []),
    'rename',
    'trash',
  ];
  if (isFolder) return ['add', ...always];
  return isText(file.name) ? ['edit', ...always] : always;
}

/** `itemId` is the folder of `add`; without one, the file is added at the top. */
function actAsUser(fake: DriveFake, { libraryId, itemId, act }: Asked<DriveAct>): string | null {
  const drive = SELECTED.find(({ id }) => scopeOf(id) === libraryId);
  const file = itemId === undefined ? undefined : fake.files.get(itemId);
  if (drive === undefined || (itemId !== undefined && file === undefined)) return null;
  const name = `New invoice ${fake.files.size}.txt`;
  if (file === undefined) return act === 'add' ? fake.act.add(drive.id, name, NEW_TEXT) : null;
  if ((file.driveId ?? file.owner) !== drive.id || !actsFor(fake, file).includes(act)) return null;
  switch (act) {
    case 'add':
      return fake.act.add(drive.id, name, NEW_TEXT, { parents: [file.id] });
    case 'edit':
      fake.act.edit(file.id, `${file.bytes}\n${NEW_TEXT}\n`);
      break;
    case 'share':
      fake.act.share(file.id, LINK);
      break;
    case 'restrict':
      fake.act.unshare(file.id);
      break;
    case 'rename':
      fake.act.rename(file.id, `Renamed ${file.name}`);
      break;
    case 'trash':
      fake.act.trash(file.id);
      break;
    case 'restore':
      fake.act.restore(file.id);
  }
  return file.id;
}
