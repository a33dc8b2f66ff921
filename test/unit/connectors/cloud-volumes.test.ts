import { afterEach, describe, expect, it } from 'vitest';
import type { DeltaChange, FeedConnector } from '../../../core/connectors/connector.ts';
import { ADMIN, connectDrive } from '../../support/cloud-drive/connect.ts';
import { FOLDER, startDriveFake, userPermission } from '../../support/cloud-drive/drive-fake.ts';
import { startBoxFake } from '../../support/file-box/box-fake.ts';
import { connectToBox } from '../../support/file-box/box-source.ts';

const never = new AbortController().signal;
const FILES = 1_000;
const CHANGED = 100;
const PAGE = 200;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A folder with `FILES` files in a source, and the calls that the source has been asked for since the last time. */
type Filled = {
  connector: FeedConnector;
  scopeId: string;
  edit(file: number): void;
  renameFolder(): void;
  takeCalls(): number;
};

async function drive(): Promise<Filled> {
  const { act, cloud, key, requests, stop } = await startDriveFake();
  stops.push(stop);
  act.addPerson(ADMIN);
  act.addDrive('0AVolumes', 'Volumes', [userPermission(ADMIN, 'organizer')]);
  const folder = act.add('0AVolumes', 'folder', '', { mimeType: FOLDER });
  const ids = Array.from({ length: FILES }, (_, n) =>
    act.add('0AVolumes', `${n}.txt`, `${n}`, { parents: [folder] }),
  );
  return {
    connector: connectDrive({ cloud, key }, ['0AVolumes']),
    scopeId: 'drive:0AVolumes',
    edit: (file) => act.edit(ids[file] ?? '', 'edited'),
    renameFolder: () => act.rename(folder, 'another name'),
    takeCalls: () => requests.splice(0).length,
  };
}

async function box(): Promise<Filled> {
  const fake = await startBoxFake();
  const { authority, requests, world } = fake;
  stops.push(fake.stop);
  const top = world.addFolder('top');
  world.invite('folder', top, { role: 'viewer', userId: authority.accountId });
  const folder = world.addFolder('folder', top);
  const ids = Array.from({ length: FILES }, (_, n) => world.addFile(`${n}.txt`, folder, `${n}`));
  const connector = connectToBox(fake, { folders: [top] });
  if (connector.delta !== 'feed') return expect.unreachable();
  return {
    connector,
    scopeId: top,
    edit: (file) => world.edit(ids[file] ?? '', 'edited'),
    renameFolder: () => world.rename('folder', folder, 'another name'),
    takeCalls: () => requests.splice(0).length,
  };
}

/** Pages of a walk: how many items each has, and the cursor at the end. */
async function walked({ connector, scopeId }: Filled) {
  const sizes: number[] = [];
  let token: string | null = null;
  for (;;) {
    const { items, nextPageToken, deltaCursor } = await connector.listItems(scopeId, token, never);
    sizes.push(items.length);
    if (nextPageToken === null) return { sizes, cursor: deltaCursor ?? '' };
    token = nextPageToken;
  }
}

async function changesSince({ connector, scopeId }: Filled, cursor: string) {
  const changes: DeltaChange[] = [];
  let token: string | null = null;
  for (;;) {
    const page = await connector.listDelta(scopeId, cursor, token, never);
    expect(page.changes.length).toBeLessThanOrEqual(PAGE);
    changes.push(...page.changes);
    if (page.nextPageToken === null) return { changes, cursor: page.deltaCursor ?? '' };
    token = page.nextPageToken;
  }
}

describe.each([
  // The fake fills 120 of the 200 entries of a page. An administrator, the members and the place of the feed are asked first.
  { family: 'cloud_drive', open: drive, listing: 13, changed: 1, renamed: 1 },
  // A token of each client, the events and the folder first. A changed thing is one call, an answer of events two or more.
  { family: 'file_box', open: box, listing: 12, changed: 106, renamed: 6 },
])('1,000 files of $family', ({ open, listing, changed, renamed }) => {
  it('are listed in bounded pages, and cost no call each', async () => {
    const filled = await open();
    const { sizes } = await walked(filled);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(FILES);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PAGE);
    expect(filled.takeCalls()).toBeLessThanOrEqual(listing);
  });

  it('cost a delta what has changed, and a renamed folder nothing for what is in it', async () => {
    const filled = await open();
    const { cursor } = await walked(filled);
    for (let file = 0; file < CHANGED; file++) filled.edit(file);
    filled.takeCalls();
    const first = await changesSince(filled, cursor);
    const changedIds = first.changes.flatMap((each) => (each.type === 'upsert' ? each.item.externalId : []));
    expect(new Set(changedIds).size).toBe(CHANGED);
    expect(filled.takeCalls()).toBeLessThanOrEqual(changed);
    filled.renameFolder();
    const second = await changesSince(filled, first.cursor);
    expect(second.changes.map(({ type }) => type)).toEqual(['folder']);
    expect(filled.takeCalls()).toBeLessThanOrEqual(renamed);
  });
});
