/** Where buckets are. */
export type S3Store = {
  /** Address of another vendor's store, or of an own endpoint of AWS. Null for the public endpoints of AWS. */
  endpoint: URL | null;
  /** The region that requests are signed for, until a bucket says that it is in another. */
  region: string;
  /** Whether the name of the bucket is in the path and not in the host. */
  pathStyle: boolean;
};

/** What a region may be called: it becomes a part of a host. */
export const REGION = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

const domainOf = (region: string) => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

/** Whether the store is AWS, which has more settings that close a bucket than others have. */
export const isAws = ({ endpoint }: S3Store): boolean =>
  endpoint === null || /(?:^|\.)amazonaws\.com(?:\.cn)?$/.test(endpoint.hostname);

/** What precedes the id of a scope: buckets of two stores may have the same name. */
export const storeName = ({ endpoint }: S3Store): string => endpoint?.host ?? 'aws';

/** The address of a bucket, without a slash at its end. A certificate covers no name with a dot before its domain. */
export function bucketUrl({ endpoint, pathStyle }: S3Store, region: string, bucket: string): string {
  const { protocol, host, pathname } = endpoint ?? new URL(`https://s3.${region}.${domainOf(region)}`);
  const base = pathname.replace(/\/+$/, '');
  return pathStyle || (protocol === 'https:' && bucket.includes('.'))
    ? `${protocol}//${host}${base}/${bucket}`
    : `${protocol}//${bucket}.${host}${base}`;
}

/** Where AWS answers for the settings of an account. */
export const accountUrl = (accountId: string, { region }: S3Store): string =>
  `https://${accountId}.s3-control.${region}.${domainOf(region)}`;
