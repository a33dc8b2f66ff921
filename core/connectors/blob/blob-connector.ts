import { type ComparisonConnector, ConnectorError } from '../connector.ts';
import { type ContainerReads, containerConnector } from '../container-connector.ts';
import { createBlobCalls } from './blob-calls.ts';
import { accountNameOf, credentialFrom } from './blob-credential.ts';
import { createContainerReads } from './container-reads.ts';

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
const CONTAINER_NAME = /^(?:\$web|\$root|[a-z0-9](?:-?[a-z0-9]){2,62})$/;

/**
 * Reads the current blobs of selected containers. Versions, snapshots and deleted blobs are not listed. Identity is the
 * name, so a rename is a deletion and an addition. Directories of a hierarchical namespace are no items. A blob whose
 * name no address can hold is listed, and its content is inaccessible.
 */
export const createBlobConnector = (
  options: BlobOptions,
): ComparisonConnector & { scopeIds: ReadonlySet<string> } =>
  containerConnector(
    {
      family: 'blob',
      kind: 'container',
      scopeIds: new Set(options.containers.map((name) => scopeIdOf(options, name))),
    },
    () => selectedContainers(options),
  );

const scopeIdOf = ({ accountUrl }: BlobOptions, container: string) =>
  `${accountNameOf(new URL(accountUrl))}/${container}`;

/** By the id of their scope. Throws `ConnectorError` if the credential or a name is malformed. */
function selectedContainers(options: BlobOptions): ReadonlyMap<string, ContainerReads> {
  const url = new URL(options.accountUrl);
  const calls = createBlobCalls({ url, version: BLOB_VERSION }, credentialFrom(options.secret, url));
  const names = [...new Set(options.containers)].sort();
  if (names.some((name) => !CONTAINER_NAME.test(name)))
    throw new ConnectorError('permanent', 'blob_selection_invalid');
  return new Map(names.map((name) => [scopeIdOf(options, name), createContainerReads(calls, name)]));
}
