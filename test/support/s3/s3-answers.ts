import { createHash } from 'node:crypto';

export type FakeObject = {
  bytes: Buffer;
  modifiedAt: string;
  storageClass?: string;
  /** When the copy ends that somebody restored from an archive. */
  restoredUntil?: string;
  contentEncoding?: string;
  acl?: FakeGrant[];
  /** In an archive of Intelligent-Tiering, which a listing does not show. */
  archiveStatus?: string;
};
export type FakeGrant = { group?: string; account?: string; permission: string };
/** Null: there is none. Absent settings are as those of a new bucket of AWS, but without any block. */
export type FakeBucket = {
  region: string;
  objects: Map<string, FakeObject>;
  /** Keys whose current version is a delete marker. */
  deleted: Set<string>;
  policy: object | null;
  isPublic: boolean;
  block: object | null;
  ownership: string | null;
  acl: FakeGrant[];
};

/** The answer of one operation, in the shape of the vendor's schema. */
export type Output = { operation: string; type: string; root: string; output: object };

const OWNER = 'c0ffee';
const GROUPS = 'http://acs.amazonaws.com/groups/global/';
const ALL = {
  BlockPublicAcls: true,
  IgnorePublicAcls: true,
  BlockPublicPolicy: true,
  RestrictPublicBuckets: true,
};
const NONE = {
  BlockPublicAcls: false,
  IgnorePublicAcls: false,
  BlockPublicPolicy: false,
  RestrictPublicBuckets: false,
};
export const BLOCK = { all: ALL, none: NONE };

export const etagOf = ({ bytes }: FakeObject): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

/** Like the store: what an address must encode, with `+` for a space. */
const urlEncoded = (key: string) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+');
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** ListObjectsV2. A token that the store never gave is refused. */
export function listOutput(
  bucket: FakeBucket,
  name: string,
  query: URLSearchParams,
  withRestore: boolean,
): Output | null {
  const token = query.get('continuation-token');
  const from =
    token === null
      ? query.get('start-after')
      : Buffer.from(token, 'base64url')
          .toString()
          .replace(/^after:/, '');
  if (token !== null && Buffer.from(`after:${from}`).toString('base64url') !== token) return null;
  const prefix = query.get('prefix') ?? '';
  const most = Number(query.get('max-keys') ?? 1000);
  const encodes = query.get('encoding-type') === 'url';
  const keys = [...bucket.objects.keys()]
    .filter((key) => key.startsWith(prefix) && (from === null || byBytes(key, from) > 0))
    .sort(byBytes);
  const page = keys.slice(0, most);
  const isTruncated = keys.length > page.length;
  const shown = (key: string) => (encodes ? urlEncoded(key) : key);
  return {
    operation: 'ListObjectsV2',
    type: 'ListObjectsV2Output',
    root: 'ListBucketResult',
    output: {
      Name: name,
      Prefix: shown(prefix),
      KeyCount: page.length,
      MaxKeys: most,
      ...(encodes && { EncodingType: 'url' }),
      IsTruncated: isTruncated,
      ...(token !== null && { ContinuationToken: token }),
      ...(isTruncated && {
        NextContinuationToken: Buffer.from(`after:${page.at(-1)}`).toString('base64url'),
      }),
      Contents: page.map((key) => contentOf(shown(key), bucket.objects.get(key), withRestore)),
    },
  };
}

function contentOf(key: string, object: FakeObject | undefined, withRestore: boolean): object {
  if (object === undefined) throw new Error('No such object');
  const { restoredUntil, storageClass = 'STANDARD' } = object;
  return {
    Key: key,
    LastModified: object.modifiedAt,
    ETag: etagOf(object),
    Size: object.bytes.length,
    StorageClass: storageClass,
    ...(withRestore &&
      restoredUntil !== undefined && {
        RestoreStatus: { IsRestoreInProgress: false, RestoreExpiryDate: restoredUntil },
      }),
  };
}

export const aclOutput = (
  operation: 'GetBucketAcl' | 'GetObjectAcl',
  grants: readonly FakeGrant[],
): Output => ({
  operation,
  type: `${operation}Output`,
  root: 'AccessControlPolicy',
  output: {
    Owner: { ID: OWNER },
    Grants: [{ account: OWNER, permission: 'FULL_CONTROL' }, ...grants].map(({ permission, ...who }) => ({
      Grantee:
        'group' in who
          ? { Type: 'Group', URI: `${GROUPS}${who.group}` }
          : { Type: 'CanonicalUser', ID: who.account },
      Permission: permission,
    })),
  },
});

/** A setting of a bucket: its answer, or the code that says that there is none. */
export function settingOutput(bucket: FakeBucket, setting: string): Output | string {
  switch (setting) {
    case 'policyStatus':
      return bucket.policy === null
        ? 'NoSuchBucketPolicy'
        : out('GetBucketPolicyStatus', 'PolicyStatus', { IsPublic: bucket.isPublic });
    case 'publicAccessBlock':
      return blockOutput(bucket.block);
    case 'ownershipControls':
      return bucket.ownership === null
        ? 'OwnershipControlsNotFoundError'
        : out('GetBucketOwnershipControls', 'OwnershipControls', {
            Rules: [{ ObjectOwnership: bucket.ownership }],
          });
    case 'acl':
      return aclOutput('GetBucketAcl', bucket.acl);
    default:
      return 'NoSuchBucketPolicy';
  }
}

export const blockOutput = (block: object | null): Output | string =>
  block === null
    ? 'NoSuchPublicAccessBlockConfiguration'
    : out('GetPublicAccessBlock', 'PublicAccessBlockConfiguration', block);

const out = (operation: string, root: string, inner: object): Output => ({
  operation,
  type: `${operation}Output`,
  root,
  output: { [root]: inner },
});

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Names of elements that are not those of their members. `xsi:type` is an attribute. */
const ELEMENT: Readonly<Record<string, string>> = { Rules: 'Rule' };

/** As the vendor's schema says that it is written. */
export function xmlOf({ root, output }: Output): string {
  const wrapped = root in output ? output[root as keyof typeof output] : output;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, wrapped, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`;
}

function element(name: string, value: unknown, attributes = ''): string {
  if (name === 'Grants' && Array.isArray(value))
    return `<AccessControlList>${value.map((grant) => element('Grant', grant)).join('')}</AccessControlList>`;
  if (Array.isArray(value)) return value.map((each) => element(ELEMENT[name] ?? name, each)).join('');
  if (typeof value !== 'object' || value === null)
    return `<${name}${attributes}>${escaped(String(value))}</${name}>`;
  const { Type: type, ...members } = value as Record<string, unknown>;
  const typed =
    type === undefined
      ? attributes
      : `${attributes} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}"`;
  const inner = Object.entries(members)
    .map(([member, each]) => element(member, each))
    .join('');
  return `<${name}${typed}>${inner}</${name}>`;
}
