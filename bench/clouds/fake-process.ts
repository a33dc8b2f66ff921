import { ADMIN } from '../../test/support/cloud-drive/connect.ts';
import { FOLDER, startDriveFake, userPermission } from '../../test/support/cloud-drive/drive-fake.ts';
import { startBoxFake } from '../../test/support/file-box/box-fake.ts';
import { announce, taskOfParent } from '../support/child.ts';
import type { FakeTally } from '../support/scan-rows.ts';
import type { CloudSource } from './service.ts';

export type CloudFamily = CloudSource['family'];
/** A drive or a folder is filled with folders of as many items. */
export type CloudFakeTask = { family: CloudFamily; items: number; itemsPerFolder: number };
export type CloudFakeReady = { source: CloudSource };
/** What happens to the first `count` items of a folder, or to the folder. */
export type CloudAct = { act: 'edit'; folder: number; count: number } | { act: 'rename'; folder: number };

type Filling = {
  source: CloudSource;
  addFolder(name: string): string;
  addFile(folder: string, name: string, text: string): string;
  edit(file: string, text: string): void;
  renameFolder(folder: string, name: string): void;
  /** The calls since the last time, by kind. */
  takeCalls(): Record<string, number>;
  stop(): Promise<void>;
};

const DRIVE = '0ABenchDrive';
const kindOf = (path: string) =>
  path
    .split('/')
    .map((part) => (/\d/.test(part) ? '…' : part))
    .join('/');
const countKinds = (paths: readonly string[]): Record<string, number> => {
  const calls: Record<string, number> = {};
  for (const path of paths) calls[kindOf(path)] = (calls[kindOf(path)] ?? 0) + 1;
  return calls;
};

async function driveFilling(): Promise<Filling> {
  const { act, cloud, key, outputs, requests, stop } = await startDriveFake();
  act.addPerson(ADMIN);
  act.addDrive(DRIVE, 'Bench', [userPermission(ADMIN, 'organizer')]);
  return {
    source: { family: 'cloud_drive', fake: { cloud, key }, drive: DRIVE },
    addFolder: (name) => act.add(DRIVE, name, '', { mimeType: FOLDER }),
    addFile: (folder, name, text) => act.add(DRIVE, name, text, { parents: [folder] }),
    edit: act.edit,
    renameFolder: act.rename,
    takeCalls: () => {
      outputs.length = 0;
      return countKinds(requests.splice(0).map(({ call }) => call.replace('GET /drive/v3/', '')));
    },
    stop,
  };
}

async function boxFilling(): Promise<Filling> {
  const fake = await startBoxFake();
  const { authority, cloud, outputs, requests, stop, world } = fake;
  const top = world.addFolder('bench');
  world.invite('folder', top, { role: 'viewer', userId: authority.accountId });
  const { clientId, clientSecret } = authority;
  const box = { cloud, authority: { clientId, clientSecret }, world: { enterprise: world.enterprise } };
  return {
    source: { family: 'file_box', fake: box, folder: top },
    addFolder: (name) => world.addFolder(name, top),
    addFile: (folder, name, text) => world.addFile(name, folder, text, { unready: 0 }),
    edit: (file, text) => {
      world.edit(file, text);
      world.item('file', file).unready = 0;
    },
    renameFolder: (folder, name) => world.rename('folder', folder, name),
    takeCalls: () => {
      outputs.length = 0;
      return countKinds(requests.splice(0).map(({ path }) => path.replace('/2.0/', '')));
    },
    stop,
  };
}

const { family, items, itemsPerFolder } = await taskOfParent<CloudFakeTask>();
const filling = await (family === 'cloud_drive' ? driveFilling() : boxFilling());
const words = (n: number, revision: number) =>
  `Note ${n}, revision ${revision}. ${'Nothing much. '.repeat(20)}`;
const folders: { id: string; items: string[] }[] = [];
for (let n = 0; n < items; n++) {
  const at = Math.floor(n / itemsPerFolder);
  folders[at] ??= { id: filling.addFolder(`folder ${at}`), items: [] };
  folders[at].items.push(filling.addFile(folders[at].id, `note ${n}.txt`, words(n, 1)));
}

function act(asked: CloudAct): void {
  const folder = folders[asked.folder];
  if (folder === undefined) throw new RangeError('No such folder');
  if (asked.act === 'rename') filling.renameFolder(folder.id, 'another name');
  else for (const [n, id] of folder.items.slice(0, asked.count).entries()) filling.edit(id, words(n, 2));
}

function take(): FakeTally {
  const calls = filling.takeCalls();
  return { requests: Object.values(calls).reduce((sum, count) => sum + count, 0), calls, bytes: null };
}

process.on('message', (message: CloudAct | 'take') => {
  if (message !== 'take') act(message);
  process.send?.(message === 'take' ? take() : {});
});
const ready: CloudFakeReady = { source: filling.source };
announce(ready, filling.stop);
