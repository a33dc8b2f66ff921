import type { CallGate } from '../../../core/connectors/cloud-http/call-gate.ts';
import {
  type BoxClient,
  type BoxClientParts,
  createBoxClient,
} from '../../../core/connectors/file-box/box-client.ts';
import {
  type BoxSubject,
  clientTokens,
  downloadTokens,
} from '../../../core/connectors/file-box/box-tokens.ts';
import {
  createFileBoxConnector,
  type FileBoxOptions,
} from '../../../core/connectors/file-box/file-box-connector.ts';
import type { BoxFake } from './box-fake.ts';
import type { BoxAuthority } from './box-tokens.ts';
import type { BoxWorld } from './box-world.ts';

const OPEN_GATE: CallGate = { enter: async () => ({ leave: () => undefined }) };

type Counts = Partial<Pick<BoxClientParts, 'count' | 'countRetry'>>;

/** Where the fake answers, also in another process. */
export type BoxSource = Pick<BoxFake, 'cloud'> & {
  authority: Pick<BoxAuthority, 'clientId' | 'clientSecret'>;
  world: Pick<BoxWorld, 'enterprise'>;
};

/** Clients of the fake, without waits between tries. */
export function boxClients(fake: BoxSource, userId?: string, counts: Counts = {}) {
  const { count = () => undefined, countRetry = () => undefined } = counts;
  const parts = { cloud: fake.cloud, count, countRetry };
  const identity = { clientId: fake.authority.clientId, secret: () => fake.authority.clientSecret };
  const enterprise: BoxSubject = { type: 'enterprise', id: fake.world.enterprise.id };
  const subject: BoxSubject = userId === undefined ? enterprise : { type: 'user', id: userId };
  const clientOf = (tokens: ReturnType<typeof clientTokens>): BoxClient =>
    createBoxClient({
      ...parts,
      tokens,
      gate: OPEN_GATE,
      priority: 'background',
      clock: Date.now,
      wait: async () => undefined,
    });
  const tokens = clientTokens(parts, identity, subject);
  const contents = new Map<string, BoxClient>();
  return {
    reader: clientOf(tokens),
    admin: clientOf(clientTokens(parts, identity, enterprise)),
    contents: (folderId: string) => {
      const client = contents.get(folderId) ?? clientOf(downloadTokens(parts, tokens, folderId));
      contents.set(folderId, client);
      return client;
    },
  };
}

/** A connector to the fake, without waits between tries. */
export function connectToBox(
  fake: BoxSource,
  more: Partial<FileBoxOptions> & { userId?: string } & Counts = {},
) {
  const { userId, count, countRetry, ...options } = more;
  const counts = { ...(count !== undefined && { count }), ...(countRetry !== undefined && { countRetry }) };
  return createFileBoxConnector({
    ...boxClients(fake, userId, counts),
    account: userId ?? fake.world.enterprise.id,
    folders: [],
    readsEvents: true,
    clock: Date.now,
    sharingKeptMs: 5,
    ...options,
  });
}

/** A folder of Ada, which the service account may view, with 240 files in folders. */
export function filledFolder(fake: BoxFake, prefix = 'canary'): string {
  const { world, authority } = fake;
  const top = world.addFolder(`${prefix} top`);
  world.invite('folder', top, { role: 'viewer', userId: authority.accountId });
  for (let folder = 0; folder < 6; folder++) {
    const id = world.addFolder(`${prefix} folder ${folder}`, top);
    for (let file = 0; file < 40; file++)
      world.addFile(`${prefix}-${file}.txt`, id, `file ${file} of folder ${folder}`);
  }
  return top;
}
