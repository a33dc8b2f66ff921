import type { ComparisonConnector } from '../connector.ts';
import { type ContainerReads, containerConnector, malformedContainer } from '../container-connector.ts';
import type { AccountBlock } from './bucket-access.ts';
import { createBucketReads } from './bucket-reads.ts';
import { createS3Calls } from './s3-calls.ts';
import { accountUrl, isAws, type S3Store, storeName } from './s3-store.ts';

export type S3Options = Omit<S3Store, 'endpoint'> & {
  /** Address of another vendor's store. Absent for AWS. */
  endpoint?: string;
  /** `ID:SECRET`, `ID:SECRET:SESSION_TOKEN` or their JSON. Asked for with each call. Null if it is not there. */
  secret: () => string | null;
  /** Names of the selected buckets. */
  buckets: readonly string[];
  /** The account of the buckets. Absent if nobody named it: then who is of it is unknown, and so is its block at AWS. */
  accountId?: string;
  /** Where the settings of the account are read. Absent for the endpoint of AWS. */
  accountUrl?: string;
};

/** What can be a part of a host. */
const BUCKET_NAME = /^(?=.{3,63}$)[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*$/;
/** A bucket that was made in us-east-1 before March 2018 may have such a name. Only the path of an address can hold it. */
const FORMER_NAME = /^[A-Za-z0-9._-]{3,255}$/;

/**
 * Reads the current objects of selected buckets. Former versions and deleted objects are not listed. Identity is the key,
 * so a rename is a deletion and an addition. Markers of folders are no items. An object whose key no address can hold is
 * listed, and its content is inaccessible.
 */
export function createS3Connector(
  options: S3Options,
): ComparisonConnector & { scopeIds: ReadonlySet<string> } {
  const scopeIds = new Set(s3ScopeIds(options));
  return containerConnector({ family: 's3', kind: 'bucket', scopeIds }, () =>
    selectedBuckets(options, storeOf(options)),
  );
}

export function s3ScopeIds(options: S3Options): string[] {
  const store = storeOf(options);
  return options.buckets.map((name) => scopeIdOf(store, name));
}

const storeOf = ({ endpoint, region, pathStyle }: S3Options): S3Store => ({
  endpoint: endpoint === undefined ? null : new URL(endpoint),
  region,
  pathStyle,
});

const scopeIdOf = (store: S3Store, bucket: string) => `${storeName(store)}/${bucket}`;

/** By the id of their scope. */
function selectedBuckets(options: S3Options, store: S3Store): ReadonlyMap<string, ContainerReads> {
  const names = [...new Set(options.buckets)].sort();
  const isName = (name: string) => (store.pathStyle ? FORMER_NAME : BUCKET_NAME).test(name);
  const calls = createS3Calls(store, options.secret);
  const accountId = options.accountId ?? null;
  const account = accountOf(options, store);
  return new Map(
    names.map((name) => [
      scopeIdOf(store, name),
      isName(name)
        ? createBucketReads(calls, { name, account, accountId, isAws: isAws(store) })
        : malformedContainer(name, 's3_bucket_name_invalid'),
    ]),
  );
}

/** Other vendors have no settings of an account. */
function accountOf({ accountId: id, accountUrl: url }: S3Options, store: S3Store): AccountBlock {
  if (url === undefined && !isAws(store)) return 'none';
  return id === undefined ? 'unknown' : { id, url: url ?? accountUrl(id, store) };
}
