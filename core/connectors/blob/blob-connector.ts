import type { TokenSource } from '../cloud-http/token-source.ts';
import type { ComparisonConnector } from '../connector.ts';
import { type ContainerReads, containerConnector, malformedContainer } from '../container-connector.ts';
import { createAccountSettings, type ManagedAccount } from './account-settings.ts';
import { createBlobCalls } from './blob-calls.ts';
import { accountNameOf, type BlobCredential, credentialFrom } from './blob-credential.ts';
import { createContainerReads } from './container-reads.ts';
import { createShareReads } from './share-reads.ts';

type BlobPlaces = {
  /** Address of the account, without a credential. */
  accountUrl?: string;
  /** Names of the selected containers. */
  containers: readonly string[];
  /** Address of the files of the account. */
  filesUrl?: string;
  /** Names of the selected shares. */
  shares?: readonly string[];
};

export type BlobOptions = BlobPlaces &
  (
    | {
        /** A shared access signature, an account key or a connection string. */
        secret: string;
      }
    | {
        tokens: TokenSource;
        /** The account as Azure manages it, if its settings are read too. */
        managed?: ManagedAccount;
      }
  );

/** Since 2021-02-12 the protocol encodes names that XML cannot hold. */
const BLOB_VERSION = '2021-12-02';
/** The first one that takes tokens for calls about a share. */
const FILES_VERSION = '2024-11-04';
/** Names may end in a dot, which the service otherwise cuts off. */
const OF_FILES = { 'x-ms-allow-trailing-dot': 'true' };
/** A token is taken only from a caller that reads past the access lists of files, as a backup does. */
const OF_TOKENS = { 'x-ms-file-request-intent': 'backup' };
const SHARE_NAME = /^[a-z0-9](?:-?[a-z0-9]){2,62}$/;
const NAME_INVALID = 'blob_container_name_invalid';
const OWN_CONTAINERS: readonly string[] = ['$web', '$root'];

/**
 * Reads the current blobs of selected containers, and the files of selected shares. Versions, snapshots and deleted blobs
 * are not listed. Identity is the name, so a rename is a deletion and an addition. Directories are no items. A blob whose
 * name no address can hold is listed, and its content is inaccessible.
 */
export const createBlobConnector = (
  options: BlobOptions,
): ComparisonConnector & { scopeIds: ReadonlySet<string> } =>
  containerConnector(
    {
      family: 'blob',
      kind: 'container',
      scopeIds: new Set(blobScopeIds(options)),
    },
    () => selected(options),
  );

const accountAt = (url: string | undefined) => (url === undefined ? '' : accountNameOf(new URL(url)));
const containerId = ({ accountUrl }: BlobPlaces, name: string) => `${accountAt(accountUrl)}/${name}`;
/** A container may have the name of a share. */
const shareId = ({ filesUrl }: BlobPlaces, name: string) => `${accountAt(filesUrl)}/files/${name}`;

/** The ids of the selected containers and shares as scopes. */
export const blobScopeIds = (places: BlobPlaces): string[] => [
  ...places.containers.map((name) => containerId(places, name)),
  ...(places.shares ?? []).map((name) => shareId(places, name)),
];

/** By the id of their scope. Throws `ConnectorError` if the credential is malformed. */
function selected(options: BlobOptions): ReadonlyMap<string, ContainerReads> {
  const containers = [...new Set(options.containers)].sort();
  const shares = [...new Set(options.shares)].sort();
  return new Map([...containerReads(options, containers), ...shareReads(options, shares)]);
}

function containerReads(options: BlobOptions, names: readonly string[]): [string, ContainerReads][] {
  if (options.accountUrl === undefined) return [];
  const url = new URL(options.accountUrl);
  const calls = createBlobCalls({ url, version: BLOB_VERSION }, credentialOf(options, url));
  const settings = createAccountSettings('tokens' in options ? options.managed : undefined);
  const readsOf = (name: string) =>
    OWN_CONTAINERS.includes(name) || SHARE_NAME.test(name)
      ? createContainerReads(calls, settings, name)
      : malformedContainer(name, NAME_INVALID);
  return names.map((name) => [containerId(options, name), readsOf(name)]);
}

function shareReads(options: BlobOptions, names: readonly string[]): [string, ContainerReads][] {
  if (options.filesUrl === undefined) return [];
  const url = new URL(options.filesUrl);
  const headers = { ...OF_FILES, ...('tokens' in options && OF_TOKENS) };
  const service = { url, version: FILES_VERSION, headers };
  const calls = createBlobCalls(service, credentialOf(options, url));
  const readsOf = (name: string) =>
    SHARE_NAME.test(name) ? createShareReads(calls, name) : malformedContainer(name, NAME_INVALID, 'share');
  return names.map((name) => [shareId(options, name), readsOf(name)]);
}

const credentialOf = (options: BlobOptions, url: URL): BlobCredential =>
  'tokens' in options ? { kind: 'token', tokens: options.tokens } : credentialFrom(options.secret, url);
