import { type ComparisonConnector, ConnectorError } from '../connector.ts';
import { type ContainerReads, containerConnector } from '../container-connector.ts';
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
  /** The AWS account of the buckets. Absent if nobody named it: then its block of public access is unknown. */
  accountId?: string;
  /** Where the settings of the account are read. Absent for the endpoint of AWS. */
  accountUrl?: string;
};

const BUCKET_NAME = /^[a-z0-9](?:[.-]?[a-z0-9]){2,62}$/;

/**
 * Reads the current objects of selected buckets. Former versions and deleted objects are not listed. Identity is the key,
 * so a rename is a deletion and an addition. Markers of folders are no items. An object whose key no address can hold is
 * listed, and its content is inaccessible.
 */
export const createS3Connector = (options: S3Options): ComparisonConnector =>
  containerConnector({ family: 's3', kind: 'bucket' }, () => selectedBuckets(options));

/** By the id of their scope. Throws `ConnectorError` if a name is malformed. */
function selectedBuckets({
  secret,
  buckets,
  accountId,
  ...options
}: S3Options): ReadonlyMap<string, ContainerReads> {
  const store: S3Store = {
    region: options.region,
    pathStyle: options.pathStyle,
    endpoint: options.endpoint === undefined ? null : new URL(options.endpoint),
  };
  const calls = createS3Calls(store, secret);
  const names = [...new Set(buckets)].sort();
  if (names.some((name) => !BUCKET_NAME.test(name) || name.length > 63))
    throw new ConnectorError('permanent', 's3_selection_invalid');
  const account =
    accountId === undefined
      ? isAws(store)
        ? ('unknown' as const)
        : ('none' as const)
      : { id: accountId, url: options.accountUrl ?? accountUrl(accountId, store) };
  return new Map(
    names.map((name) => [
      `${storeName(store)}/${name}`,
      createBucketReads(calls, { name, account, isAws: isAws(store) }),
    ]),
  );
}
