import { createHash } from 'node:crypto';
import { untilAborted } from '../abort.ts';
import {
  type ComparisonConnector,
  ConnectorError,
  DeltaCursorInvalid,
  type InventoryPage,
} from '../connector.ts';
import { createBlobCalls } from './blob-calls.ts';
import { accountNameOf, credentialFrom } from './blob-credential.ts';
import { UNKNOWN_EXPOSURE } from './blob-exposure.ts';
import { type ContainerReads, createContainerReads } from './container-reads.ts';

export type BlobOptions = {
  /** Address of the account, without a credential. */
  accountUrl: string;
  /** A shared access signature, an account key or a connection string. */
  secret: string;
  /** Names of the selected containers. */
  containers: readonly string[];
};

/** Since 2021-02-12 the protocol encodes names that XML cannot hold. */
const BLOB_VERSION = '2021-12-02';
const PAGE_SIZE = 200;
const CONTAINER_NAME = /^(?:\$web|\$root|[a-z0-9](?:-?[a-z0-9]){2,62})$/;

/**
 * Reads the current blobs of selected containers. Versions, snapshots and deleted blobs are not listed. Identity is the
 * name, so a rename is a deletion and an addition. Directories of a hierarchical namespace are no items. A blob whose
 * name no address can hold is listed, and its content is inaccessible.
 */
export function createBlobConnector(options: BlobOptions): ComparisonConnector {
  let selected: ReadonlyMap<string, ContainerReads> | undefined;
  // Made with the first call: a wrong setting fails the calls to the source, not the code that creates the connector.
  const containers = () => {
    selected ??= selectedContainers(options);
    return selected;
  };
  const inContainer = <T>(
    scopeId: string,
    signal: AbortSignal,
    run: (container: ContainerReads) => Promise<T>,
  ) =>
    untilAborted(signal, async () => {
      const container = containers().get(scopeId);
      if (container === undefined) throw new ConnectorError('permanent', 'scope_unknown');
      return run(container);
    });

  return {
    family: 'blob',
    mode: 'live',
    delta: 'comparison',
    inheritsPermissions: true,
    listScopes: (pageToken, signal) =>
      untilAborted(signal, async () => {
        if (pageToken !== null) throw new DeltaCursorInvalid();
        const scopes = Array.from(containers(), ([externalId, { name }]) => ({
          externalId,
          name,
          kind: 'container',
        }));
        return { scopes, nextPageToken: null };
      }),
    listLabels: async () => [],
    listItems: (scopeId, pageToken, signal) =>
      inContainer(scopeId, signal, (container) => pageOf(container, pageToken, signal)),
    getItem: (scopeId, externalId, signal) =>
      inContainer(scopeId, signal, (container) => container.item(externalId, signal)),
    getPermissions: (scopeId, externalId, signal) =>
      inContainer(
        scopeId,
        signal,
        async (container) => (await container.exposure(externalId, signal)) ?? UNKNOWN_EXPOSURE,
      ),
    getLabel: (scopeId, _externalId, signal) =>
      inContainer(scopeId, signal, async () => ({ state: 'unknown' })),
    readContent: (scopeId, externalId, maxBytes, signal) =>
      inContainer(scopeId, signal, (container) => container.content(externalId, maxBytes, signal)),
  };
}

/** By the id of their scope. Throws `ConnectorError` if the credential or a name is malformed. */
function selectedContainers({
  accountUrl,
  secret,
  containers,
}: BlobOptions): ReadonlyMap<string, ContainerReads> {
  const url = new URL(accountUrl);
  const calls = createBlobCalls({ url, version: BLOB_VERSION }, credentialFrom(secret, url));
  const names = [...new Set(containers)].sort();
  if (names.some((name) => !CONTAINER_NAME.test(name)))
    throw new ConnectorError('permanent', 'blob_selection_invalid');
  const account = accountNameOf(url);
  return new Map(names.map((name) => [`${account}/${name}`, createContainerReads(calls, name)]));
}

async function pageOf(
  container: ContainerReads,
  pageToken: string | null,
  signal: AbortSignal,
): Promise<InventoryPage> {
  const marker = pageToken === null ? null : markerOf(container.name, pageToken);
  const page = await container.list(
    { maxresults: String(PAGE_SIZE), ...(marker !== null && { marker }) },
    signal,
  );
  // A service that repeats its marker would be walked for ever.
  if (page.marker !== null && page.marker === marker)
    throw new ConnectorError('transient', 'blob_marker_repeated');
  return {
    items: page.items,
    nextPageToken: page.marker === null ? null : tokenOf(container.name, page.marker),
    deltaCursor: null,
  };
}

const digestOf = (container: string, marker: string) =>
  createHash('sha256').update(`${container}\n${marker}`).digest('base64url').slice(0, 12);

/** A service may answer a marker that it never gave with an empty page, so only own tokens are accepted. */
const tokenOf = (container: string, marker: string) =>
  `${digestOf(container, marker)}.${Buffer.from(marker).toString('base64url')}`;

function markerOf(container: string, pageToken: string): string {
  const [digest, encoded = ''] = pageToken.split('.');
  const marker = Buffer.from(encoded, 'base64url').toString();
  if (marker === '' || digest !== digestOf(container, marker))
    throw new ConnectorError('permanent', 'page_token_invalid');
  return marker;
}
