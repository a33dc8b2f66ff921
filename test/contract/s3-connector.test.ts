import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ComparisonConnector, SourceItem } from '../../core/connectors/connector.ts';
import { createS3Connector, type S3Options } from '../../core/connectors/s3/s3-connector.ts';
import { type S3Fake, startS3Fake } from '../support/s3/s3-fake.ts';
import { walkAll } from './connector.exercise.ts';

const live = new AbortController().signal;
const MAX_BYTES = 1_000_000;
const BUCKET = 'reports';

let fake: S3Fake;
beforeEach(async () => {
  fake = await startS3Fake();
  fake.createBucket(BUCKET);
});
afterEach(async () => {
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

const scope = () => `${new URL(fake.url).host}/${BUCKET}`;
const secretOf = ({ keys: { id, secret, sessionToken } }: S3Fake) =>
  [id, secret, ...(sessionToken === undefined ? [] : [sessionToken])].join(':');
const connect = (more: Partial<S3Options> = {}) =>
  createS3Connector({
    endpoint: fake.url,
    region: 'eu-central-1',
    pathStyle: true,
    secret: () => secretOf(fake),
    buckets: [BUCKET],
    ...more,
  });
const walk = async (connector: ComparisonConnector = connect()): Promise<SourceItem[]> =>
  (await walkAll(connector, scope(), live)).items;
const keysOf = async (connector?: ComparisonConnector) =>
  (await walk(connector)).map(({ externalId }) => externalId);
const read = async (key: string, connector = connect()) => {
  const content = await connector.readContent(scope(), key, MAX_BYTES, live);
  return content.state === 'available' ? Buffer.from(content.bytes).toString() : content;
};

describe('what is listed', () => {
  test('reads keys that no file system expects', async () => {
    const keys = [
      ' begins with a space',
      '/begins with a slash.txt',
      'a b/ü+%25&<>"\'.txt',
      'double//slash.txt',
      'ends in a slash/',
      'fraction?#[]@!$()*,;=:.txt',
      'line\nbreak\u0001.txt',
      '🗂 folder/名前.txt',
    ];
    for (const key of keys) fake.put(BUCKET, key, `text of ${key}`);
    const items = await walk();
    expect(items.map(({ externalId }) => externalId).toSorted()).toEqual(keys.toSorted());
    for (const key of keys) expect(await read(key)).toBe(`text of ${key}`);
    expect(items.map(({ name }) => name)).toContain('名前.txt');
    expect(items.map(({ name }) => name)).toContain('ends in a slash/');
  });

  test('a key with dots as a segment is listed, and never becomes an address', async () => {
    const key = '../../other/secret.txt';
    fake.put(BUCKET, key, 'secret');
    const [item] = await walk();
    expect(item).toMatchObject({ externalId: key, sourceUrl: null });
    expect(await connect().getItem(scope(), key, live)).toEqual(item);
    expect(await read(key)).toEqual({ state: 'inaccessible' });
    expect(await connect().getPermissions(scope(), key, live)).toEqual({ grants: [], complete: false });
    expect(new Set(fake.requests.map(({ key: asked }) => asked))).toEqual(new Set(['']));
  });

  test('markers of folders are no items; empty objects are', async () => {
    fake.put(BUCKET, 'folder/', '');
    fake.put(BUCKET, 'folder/empty.txt', '');
    expect(await keysOf()).toEqual(['folder/empty.txt']);
    expect(await connect().getItem(scope(), 'folder/', live)).toBeNull();
  });

  test('an object below a delete marker is gone', async () => {
    fake.put(BUCKET, 'kept.txt', 'kept');
    fake.put(BUCKET, 'gone.txt', 'gone');
    fake.remove(BUCKET, 'gone.txt');
    expect(await keysOf()).toEqual(['kept.txt']);
    expect(await connect().getItem(scope(), 'gone.txt', live)).toBeNull();
    expect(await read('gone.txt')).toEqual({ state: 'inaccessible' });
  });

  test('a copy onto itself changes the item, and not its content', async () => {
    fake.put(BUCKET, 'a.txt', 'a', { modifiedAt: '2026-01-01T00:00:00.000Z' });
    const [before] = await walk();
    fake.put(BUCKET, 'a.txt', 'a', { modifiedAt: '2026-02-01T00:00:00.000Z' });
    const [after] = await walk();
    expect(after?.sourceVersion).not.toBe(before?.sourceVersion);
    expect(after?.contentVersion).toBe(before?.contentVersion);
    fake.put(BUCKET, 'a.txt', 'b', { modifiedAt: '2026-02-01T00:00:00.000Z' });
    expect((await walk())[0]?.contentVersion).not.toBe(before?.contentVersion);
  });

  test('what is stored as packed is read as it is stored', async () => {
    fake.put(BUCKET, 'log.gz', 'not really packed', { contentEncoding: 'gzip' });
    expect(await read('log.gz')).toBe('not really packed');
  });

  test('without an encoding of keys, keys are taken as they are', async () => {
    fake.instead = ({ setting }) =>
      setting === 'list-type' ? { status: 200, code: '', body: listing('a+b%20.txt') } : null;
    expect(await keysOf()).toEqual(['a+b%20.txt']);
  });
});

const listing = (key: string, more = '<IsTruncated>false</IsTruncated>') =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}` +
  `<Contents><Key>${key}</Key><LastModified>2026-11-05T10:00:00.000Z</LastModified><ETag>"1"</ETag><Size>4</Size></Contents></ListBucketResult>`;
const EMPTY = listing('x').replace(/<Contents>.*<\/Contents>/, '');

describe('an archive', () => {
  test.each(['GLACIER', 'DEEP_ARCHIVE'])('what is in %s is never asked for', async (storageClass) => {
    fake.put(BUCKET, 'cold.txt', 'cold', { storageClass });
    const [item] = await walk();
    expect(item?.notRead).toBe('archived');
    expect(fake.requests.every(({ key }) => key === '')).toBe(true);
  });

  test('what somebody restored is read while the copy lasts', async () => {
    const restoredUntil = new Date(Date.now() + 3_600_000).toISOString();
    fake.put(BUCKET, 'cold.txt', 'cold', { storageClass: 'GLACIER' });
    const [cold] = await walk();
    fake.put(BUCKET, 'cold.txt', 'cold', { storageClass: 'GLACIER', restoredUntil });
    const [restored] = await walk();
    expect(restored?.notRead).toBeUndefined();
    expect(restored?.sourceVersion).not.toBe(cold?.sourceVersion);
    expect(await read('cold.txt')).toBe('cold');
  });

  test('an instant archive is read, and a tier that the listing hides is archived', async () => {
    fake.put(BUCKET, 'instant.txt', 'instant', { storageClass: 'GLACIER_IR' });
    fake.put(BUCKET, 'tier.txt', 'tier', {
      storageClass: 'INTELLIGENT_TIERING',
      archiveStatus: 'ARCHIVE_ACCESS',
    });
    expect((await walk()).map(({ notRead }) => notRead)).toEqual([undefined, undefined]);
    expect(await read('instant.txt')).toBe('instant');
    expect(await read('tier.txt')).toEqual({ state: 'inaccessible', reason: 'archived' });
  });
});

describe('a walk', () => {
  const pages = (byToken: Readonly<Record<string, string>>) => {
    fake.instead = ({ setting, query }) =>
      setting === 'list-type'
        ? { status: 200, code: '', body: byToken[query.get('continuation-token') ?? ''] ?? '' }
        : null;
  };
  const truncated = (token: string) =>
    `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`;

  test('has a page for 200 objects, and holds one page at a time', async () => {
    for (let at = 0; at < 1_000; at++) fake.put(BUCKET, `${at}.txt`, '');
    const { pages: walked } = await walkAll(connect(), scope(), live);
    expect(walked.map(({ items }) => items.length)).toEqual([200, 200, 200, 200, 200]);
    expect(fake.requests).toHaveLength(5);
  });

  test('goes on after an empty page', async () => {
    pages({
      '': listing('a', truncated('one')),
      one: listing('x', truncated('two')).replace(/<Contents>.*<\/Contents>/, ''),
      two: listing('b'),
    });
    expect(await keysOf()).toEqual(['a', 'b']);
  });

  test('ends with an empty page after an empty page', async () => {
    const byToken: Readonly<Record<string, string>> = {
      '': listing('a', truncated('one')),
      one: EMPTY.replace('<IsTruncated>false</IsTruncated>', truncated('two')),
    };
    fake.instead = ({ query }) => ({
      status: 200,
      code: '',
      body: query.has('start-after') ? EMPTY : (byToken[query.get('continuation-token') ?? ''] ?? EMPTY),
    });
    expect(await keysOf()).toEqual(['a']);
  });

  test('a token that is missing is a failure and not an end', async () => {
    pages({ '': listing('a', '<IsTruncated>true</IsTruncated>') });
    await expect(walk()).rejects.toMatchObject({ safeDiagnostic: 's3_token_missing' });
  });

  test('tokens that come round are a failure', async () => {
    pages({
      '': listing('a', truncated('one')),
      one: listing('b', truncated('two')),
      two: listing('c', truncated('three')),
      three: listing('d', truncated('one')),
    });
    await expect(walk()).rejects.toMatchObject({ safeDiagnostic: 's3_token_repeated' });
  });

  test('begins again if the store refuses its token, or has forgotten it', async () => {
    for (let at = 0; at < 300; at++) fake.put(BUCKET, `${at}.txt`, '');
    const { nextPageToken } = await connect().listItems(scope(), null, live);
    const next = () => connect().listItems(scope(), nextPageToken, live);
    fake.instead = ({ query }) =>
      query.has('continuation-token') ? { status: 400, code: 'InvalidArgument' } : null;
    await expect(next()).rejects.toMatchObject({ name: 'DeltaCursorInvalid' });
    fake.instead = ({ query }) =>
      query.has('continuation-token')
        ? { status: 200, code: '', body: listing('x').replace(/<Contents>.*<\/Contents>/, '') }
        : null;
    await expect(next()).rejects.toMatchObject({ name: 'DeltaCursorInvalid' });
    fake.instead = null;
    expect((await next()).items).toHaveLength(100);
  });

  test('a listing that is none is a failure and not an empty bucket', async () => {
    for (const body of ['', '<html>sign in</html>', listing('a').replace(/<Size>.*<\/Size>/, '')]) {
      pages({ '': body });
      await expect(walk()).rejects.toMatchObject({ safeDiagnostic: 's3_listing_malformed' });
    }
  });
});

describe('what a store refuses', () => {
  test.each([
    ['SlowDown', 503, 'throttled', 's3_busy'],
    ['TooManyRequests', 429, 'throttled', 's3_busy'],
    ['InternalError', 500, 'transient', 's3_failed'],
    ['RequestTimeout', 400, 'transient', 's3_failed'],
  ])('%s is tried again', async (code, status, retryClass, safeDiagnostic) => {
    fake.instead = () => ({ status, code });
    await expect(walk()).rejects.toMatchObject({ retryClass, safeDiagnostic });
  });

  test('a clock that is off is not a refused credential', async () => {
    fake.aheadMs = 16 * 60_000;
    await expect(walk()).rejects.toMatchObject({
      retryClass: 'transient',
      safeDiagnostic: 's3_clock_skewed',
    });
  });

  test('a wrong, an expired and a malformed credential are not a refused bucket', async () => {
    const refused = { name: 'ConnectorError', retryClass: 'auth' };
    for (const secret of ['AKIAEXAMPLE:wrong', 'AKIAOTHER:secret'])
      await expect(walk(connect({ secret: () => secret }))).rejects.toMatchObject({
        ...refused,
        safeDiagnostic: 's3_credential_refused',
      });
    for (const secret of ['AKIAEXAMPLE', '{"AccessKeyId":"AKIAEXAMPLE"}', '{', null])
      await expect(walk(connect({ secret: () => secret }))).rejects.toMatchObject({
        ...refused,
        safeDiagnostic: 's3_credential_malformed',
      });
  });

  test('another credential takes effect with the next call', async () => {
    let secret = secretOf(fake);
    const connector = connect({ secret: () => secret });
    expect(await keysOf(connector)).toEqual([]);
    fake.keys = { id: 'AKIAROTATED', secret: 'new', sessionToken: 'session' };
    await expect(walk(connector)).rejects.toMatchObject({ retryClass: 'auth' });
    secret = JSON.stringify({ AccessKeyId: 'AKIAROTATED', SecretAccessKey: 'new', SessionToken: 'session' });
    expect(await keysOf(connector)).toEqual([]);
  });

  test('a bucket that is gone or denied is a refused scope, whatever is asked', async () => {
    fake.put(BUCKET, 'a.txt', 'a');
    fake.denied.add('list-type');
    fake.denied.add('');
    const denied = { name: 'ScopeRefused', reason: 'denied' };
    await expect(walk()).rejects.toMatchObject(denied);
    await expect(read('a.txt')).rejects.toMatchObject(denied);
    fake.denied.clear();
    fake.buckets.clear();
    const gone = { name: 'ScopeRefused', reason: 'not_found' };
    await expect(walk()).rejects.toMatchObject(gone);
    await expect(read('a.txt')).rejects.toMatchObject(gone);
    await expect(connect().getItem(scope(), 'a.txt', live)).rejects.toMatchObject(gone);
  });

  test('an object that alone is denied is inaccessible', async () => {
    fake.put(BUCKET, 'a.txt', 'a');
    fake.denied.add('');
    expect(await read('a.txt')).toEqual({ state: 'inaccessible' });
  });

  test('a bucket in another region is asked there, and found at once the next time', async () => {
    fake.createBucket(BUCKET, { region: 'ap-southeast-2' });
    fake.put(BUCKET, 'a.txt', 'a');
    const connector = connect();
    expect(await keysOf(connector)).toEqual(['a.txt']);
    expect(await read('a.txt', connector)).toBe('a');
    expect(fake.requests).toHaveLength(3);
  });

  test('a redirect is never followed to another host', async () => {
    let asked = 0;
    fake.instead = () => {
      asked++;
      return { status: 301, code: 'PermanentRedirect', headers: { location: 'http://elsewhere.test/' } };
    };
    await expect(walk()).rejects.toMatchObject({ safeDiagnostic: 's3_bucket_elsewhere' });
    expect(asked).toBe(1);
    fake.instead = () => {
      asked++;
      return { status: 307, code: 'TemporaryRedirect', headers: { 'x-amz-bucket-region': 'eu-west-1' } };
    };
    await expect(walk()).rejects.toMatchObject({ safeDiagnostic: 's3_bucket_elsewhere' });
    expect(asked).toBe(3);
  });

  test('a name that no bucket can have is a refused scope, and nothing is asked', async () => {
    const { host } = new URL(fake.url);
    for (const name of ['Upper', 'a', '../x', 'a..b', '-a-', 'a_b', 'x'.repeat(64)]) {
      const connector = connect({ buckets: [name, BUCKET], pathStyle: false });
      expect((await connector.listScopes(null, live)).scopes).toHaveLength(2);
      for (const attempt of [
        () => connector.listItems(`${host}/${name}`, null, live),
        () => connector.readContent(`${host}/${name}`, 'a', MAX_BYTES, live),
      ])
        await expect(attempt()).rejects.toMatchObject({ name: 'ScopeRefused', reason: 'malformed_id' });
    }
    expect(fake.requests).toEqual([]);
  });

  test('the other buckets of the selection are read', async () => {
    fake.put(BUCKET, 'a.txt', 'a');
    expect(await keysOf(connect({ buckets: ['not a name', BUCKET] }))).toEqual(['a.txt']);
  });

  // The vendor's rules for buckets of us-east-1 that were made before March 2018.
  test('capitals, underscores and 255 characters are names where the path has them', async () => {
    const { host } = new URL(fake.url);
    for (const name of ['Legal_Archive', 'x'.repeat(255)]) {
      fake.put(name, 'a.txt', 'a');
      const { items } = await connect({ buckets: [name] }).listItems(`${host}/${name}`, null, live);
      expect(items).toHaveLength(1);
    }
    for (const name of ['../x', 'a/b', 'a', 'x'.repeat(256)])
      await expect(
        connect({ buckets: [name] }).listItems(`${host}/${name}`, null, live),
      ).rejects.toMatchObject({ reason: 'malformed_id' });
  });
});
