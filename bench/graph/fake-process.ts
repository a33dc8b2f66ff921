import { guidOf } from '../../test/support/graph/ids.ts';
import { REPORTS_SHARING } from '../../test/support/graph/permissions.ts';
import { APP, smallFake } from '../../test/support/graph/small-tenant.ts';
import { announce, taskOfParent } from '../support/child.ts';
import type { FakeTally } from '../support/scan-rows.ts';

/** The library is filled with folders `folder 0`, `folder 1`, … of as many items. */
export type FakeTask = { items: number; itemsPerFolder: number };

export type FakeReady = {
  graphOrigin: string;
  documentOrigin: string;
  authorityOrigin: string;
  /** PEM, of the authority. */
  ca: string;
  tenantId: string;
  clientId: string;
  secret: string;
};

/** What happens to the first `count` items of a folder, or to the folder. */
export type FakeAct =
  | { act: 'edit' | 'share'; folder: number; count: number }
  | { act: 'rename' | 'shareFolder' | 'unshareFolder'; folder: number };

const { items, itemsPerFolder } = await taskOfParent<FakeTask>();
const fake = await smallFake({}, { validates: false });
fake.app(APP.clientId).permissions.push(REPORTS_SHARING);
const library = fake.library('Finance');
const person = guidOf('person/bench');
const folders: { id: string; items: string[] }[] = [];
const words = (n: number, revision: number) =>
  `Note ${n}, revision ${revision}. ${'Nothing much. '.repeat(20)}`;
for (let n = 0; n < items; n++) {
  const at = Math.floor(n / itemsPerFolder);
  folders[at] ??= { id: library.addFolder(`folder ${at}`), items: [] };
  folders[at].items.push(library.addTo(folders[at].id, `note ${n}.txt`, words(n, 1)));
}

function act(asked: FakeAct): void {
  const folder = folders[asked.folder];
  if (folder === undefined) throw new RangeError('No such folder');
  if ('count' in asked) actInside(asked, folder.items);
  else if (asked.act === 'rename') library.rename(folder.id, 'another name');
  else if (asked.act === 'shareFolder')
    library.share(folder.id, { to: 'link', scope: 'anonymous', type: 'view' });
  else
    for (const { id } of library.drive.items.get(folder.id)?.grants.slice() ?? [])
      library.unshare(folder.id, id);
}

function actInside(asked: Extract<FakeAct, { count: number }>, inside: readonly string[]): void {
  for (const [n, id] of inside.slice(0, asked.count).entries()) {
    if (asked.act === 'edit') library.edit(id, words(n, 2));
    else library.share(id, { to: 'person', personId: person, role: 'read' });
  }
}

function take(): FakeTally {
  const calls: Record<string, number> = {};
  for (const { family } of fake.calls) if (family !== 'batch') calls[family] = (calls[family] ?? 0) + 1;
  const direct = fake.calls.filter(({ batched }) => !batched);
  const tally = { requests: direct.length, calls, bytes: direct.reduce((sum, call) => sum + call.bytes, 0) };
  fake.clearCalls();
  return tally;
}

process.on('message', (message: FakeAct | 'take') => {
  if (message !== 'take') act(message);
  process.send?.(message === 'take' ? take() : {});
});
const ready: FakeReady = {
  ...{ graphOrigin: fake.graphOrigin, documentOrigin: fake.documentOrigin },
  ...{ authorityOrigin: fake.authorityOrigin, ca: fake.ca, tenantId: fake.tenant().id, ...APP },
};
announce(ready, fake.close);
