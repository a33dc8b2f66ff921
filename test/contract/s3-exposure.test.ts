import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../core/connectors/connector.ts';
import { createBucketReads } from '../../core/connectors/s3/bucket-reads.ts';
import { createS3Calls } from '../../core/connectors/s3/s3-calls.ts';
import { createS3Connector, type S3Options } from '../../core/connectors/s3/s3-connector.ts';
import { besideRepository } from '../support/beside-repository.ts';
import { BLOCK } from '../support/s3/s3-answers.ts';
import { type S3Fake, startS3Fake } from '../support/s3/s3-fake.ts';

const live = new AbortController().signal;
/** The vendor's description. It lies beside the repository, and not everywhere. */
const VENDOR = besideRepository('vendor-schemas/s3.schema.json');

let fake: S3Fake;
beforeEach(async () => {
  fake = await startS3Fake();
});
afterEach(async () => {
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

/** The grants of an object of the bucket, as the service that knows the account reads them. */
async function grantsOf(key = 'press/a.txt', more: Partial<S3Options> = {}): Promise<Grant[]> {
  if (!fake.buckets.get('reports')?.objects.has(key)) fake.put('reports', key, 'text');
  const connector = createS3Connector({
    endpoint: fake.url,
    region: 'eu-central-1',
    pathStyle: true,
    secret: () => `${fake.keys.id}:${fake.keys.secret}`,
    buckets: ['reports'],
    accountId: fake.accountId,
    accountUrl: fake.url,
    ...more,
  });
  const found = await connector.getPermissions(`${new URL(fake.url).host}/reports`, key, live);
  if (found === 'denied') return expect.unreachable();
  expect(found.complete).toBe(false);
  return found.grants;
}
const allow = (more: object) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::reports/press/*', ...more }],
});
const TO_ALL = allow({ Principal: '*' });
const ANYONE = { principal: 'Anyone (policy of the bucket)', principalKind: 'anyone', external: true };
const open = (policy: object = TO_ALL, more: object = {}) =>
  fake.createBucket('reports', { policy, isPublic: true, ...more });

describe('the policy of a bucket', () => {
  test('opens the objects that it names to anyone, and no others', async () => {
    open();
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, role: 'read', inherited: true }]);
    expect((await grantsOf())[0]).not.toHaveProperty('unconfirmed');
    expect(await grantsOf('private/a.txt')).toEqual([]);
  });

  test.each([
    ['Action s3:*', { Principal: { AWS: '*' }, Action: 's3:*' }, 1],
    ['Action s3:Get*', { Principal: { AWS: ['*'] }, Action: ['s3:Get*'] }, 1],
    ['another action', { Principal: '*', Action: 's3:ListBucket' }, 0],
    ['all but another action', { Principal: '*', Action: undefined, NotAction: 's3:PutObject' }, 1],
    ['everyone but one', { NotPrincipal: { AWS: 'arn:aws:iam::999900001111:root' } }, 1],
    ['another bucket', { Principal: '*', Resource: 'arn:aws:s3:::other/*' }, 0],
    ['another partition', { Principal: '*', Resource: 'arn:aws-cn:s3:::reports/*' }, 1],
  ])('is compared by its action, principal and resource: %s', async (_, statement, count) => {
    open(allow(statement));
    expect(await grantsOf()).toHaveLength(count);
  });

  test('is closed by a denial without a condition, and not by one with', async () => {
    const deny = { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: '*' };
    open({ Statement: [...TO_ALL.Statement, deny] });
    expect(await grantsOf()).toEqual([]);
    const insecure = { ...deny, Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
    open({ Statement: [...TO_ALL.Statement, insecure] });
    expect(await grantsOf()).toMatchObject([ANYONE]);
  });

  test('with a condition is public if AWS says so, unconfirmed', async () => {
    const policy = allow({ Principal: '*', Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } });
    open(policy, { isPublic: false });
    expect(await grantsOf()).toMatchObject([{ principalKind: 'link', external: false }]);
    open(policy);
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
    fake.denied.add('policyStatus');
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
  });

  test('with a condition is unconfirmed beside a statement that is public anyway', async () => {
    const Condition = { IpAddress: { 'aws:SourceIp': '0.0.0.0/0' } };
    const press = allow({ Principal: '*', Condition });
    const other = allow({ Principal: '*', Resource: 'arn:aws:s3:::reports/other/*' });
    open({ Statement: [...press.Statement, ...other.Statement] });
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
  });

  test('for an organization that nobody must be of is public', async () => {
    const Condition = { 'ForAllValues:StringEquals': { 'aws:PrincipalOrgID': ['o-1234567890'] } };
    open(allow({ Principal: '*', Condition }));
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
  });

  test('for an organization is no exposure to anyone', async () => {
    const Condition = { StringEquals: { 'aws:PrincipalOrgID': 'o-1234567890' } };
    open(allow({ Principal: '*', Condition }), { isPublic: false });
    expect(await grantsOf()).toMatchObject([{ principalKind: 'organization', external: false }]);
  });

  test('names other accounts as external, and the own one as not', async () => {
    const role = `arn:aws:iam::${fake.accountId}:role/reader`;
    const policy = allow({ Principal: { AWS: [role, 'arn:aws:iam::999900001111:root', '888800001111'] } });
    open(policy, { isPublic: false });
    expect(await grantsOf()).toMatchObject([
      { principal: role, principalKind: 'user', external: false },
      { principal: 'AWS account 999900001111', principalKind: 'group', external: true },
      { principal: 'AWS account 888800001111', external: true },
    ]);
  });

  test('that cannot be read is public if AWS says so, unconfirmed', async () => {
    open();
    fake.denied.add('policy');
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
    // Nobody says then that it is public, and nobody that it is not.
    fake.denied.add('policyStatus');
    expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
    fake.accountBlock = BLOCK.all;
    expect(await grantsOf()).toEqual([]);
  });

  test('that cannot be read is not public if AWS says so', async () => {
    open(TO_ALL, { isPublic: false });
    fake.denied.add('policy');
    expect(await grantsOf()).toEqual([]);
  });
});

describe('a block of public access', () => {
  test.each(['bucket', 'account'])('of the %s closes a public policy to outsiders', async (where) => {
    const other = { Principal: { AWS: '999900001111' } };
    open({ Statement: [...TO_ALL.Statement, ...allow(other).Statement] });
    expect(await grantsOf()).toHaveLength(2);
    if (where === 'account') fake.accountBlock = BLOCK.all;
    else open(TO_ALL, { block: BLOCK.all });
    expect(await grantsOf()).toEqual([]);
  });

  test('that leaves everything open leaves it open', async () => {
    open(TO_ALL, { block: BLOCK.none });
    fake.accountBlock = BLOCK.none;
    expect(await grantsOf()).toEqual([expect.not.objectContaining({ unconfirmed: true })]);
  });

  test.each(['publicAccessBlock', 'accountBlock'])(
    '%s that cannot be read leaves it open',
    async (setting) => {
      open();
      fake.denied.add(setting);
      expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
    },
  );

  test('of an account that nobody named is unknown at AWS, and other vendors have none', async () => {
    open();
    fake.put('reports', 'press/a.txt', 'text');
    const store = { endpoint: new URL(fake.url), region: 'eu-central-1', pathStyle: true };
    const calls = createS3Calls(store, () => `${fake.keys.id}:${fake.keys.secret}`);
    const grants = async (account: 'unknown' | 'none') => {
      const reads = createBucketReads(calls, {
        name: 'reports',
        account,
        accountId: null,
        isAws: account === 'unknown',
      });
      return (await reads.permissions('press/a.txt', live)).grants;
    };
    expect(await grants('unknown')).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
    expect(await grants('none')).toEqual([expect.not.objectContaining({ unconfirmed: true })]);
  });
});

describe('an access list', () => {
  const lists = (more: object = {}) => fake.createBucket('reports', { ownership: 'ObjectWriter', ...more });
  const toAll = { group: 'AllUsers', permission: 'READ' };

  test('of an object adds to what the bucket gives', async () => {
    lists({ policy: TO_ALL, isPublic: true });
    fake.put('reports', 'press/a.txt', 'a', { acl: [toAll, { account: 'beef', permission: 'READ' }] });
    expect(await grantsOf()).toMatchObject([
      { ...ANYONE, inherited: true },
      { role: 'owner', external: false, inherited: false },
      { principal: 'Anyone (access list)', principalKind: 'anyone', inherited: false },
      { principal: 'Account beef', external: true, inherited: false },
    ]);
  });

  test('for every account of AWS opens it to anyone', async () => {
    lists();
    fake.put('reports', 'a', 'a', { acl: [{ group: 'AuthenticatedUsers', permission: 'FULL_CONTROL' }] });
    expect((await grantsOf('a'))[1]).toMatchObject({ principalKind: 'anyone', inherited: false });
  });

  test('is not asked for if the owner of the bucket switched such lists off', async () => {
    fake.put('reports', 'a', 'a', { acl: [toAll] });
    expect(await grantsOf('a')).toEqual([]);
    expect(fake.requests.filter(({ key, setting }) => key !== '' && setting === 'acl')).toEqual([]);
  });

  test('is closed to the public by a block, and is unconfirmed without one', async () => {
    lists({ block: BLOCK.all });
    fake.put('reports', 'a', 'a', { acl: [toAll] });
    expect(await grantsOf('a')).toMatchObject([{ role: 'owner' }]);
    lists();
    fake.put('reports', 'a', 'a', { acl: [toAll] });
    fake.denied.add('ownershipControls');
    expect((await grantsOf('a'))[1]).toMatchObject({ principalKind: 'anyone', unconfirmed: true });
  });

  test('of a bucket is evidence and no exposure of an object', async () => {
    lists({ acl: [toAll, { group: 'AllUsers', permission: 'WRITE' }] });
    expect(await grantsOf('a')).toMatchObject([
      { principal: 'Anyone may list the keys of the bucket', principalKind: 'link', external: false },
      { principalKind: 'link', role: 'write' },
      { role: 'owner' },
    ]);
    expect(await grantsOf('a')).toEqual(Array(3).fill(expect.not.objectContaining({ unconfirmed: true })));
  });

  test.each(['ownershipControls', 'publicAccessBlock', 'accountBlock'])(
    'of a bucket is unconfirmed evidence if %s cannot be read',
    async (setting) => {
      lists({ acl: [toAll] });
      fake.denied.add(setting);
      expect((await grantsOf('a'))[0]).toMatchObject({ principalKind: 'link', unconfirmed: true });
    },
  );

  // Who may write an access list grants the rest to themselves.
  test('that anyone may write opens the object, and is evidence of a bucket', async () => {
    lists({ acl: [{ group: 'AllUsers', permission: 'WRITE_ACP' }] });
    fake.put('reports', 'a', 'a', {
      acl: [
        { group: 'AllUsers', permission: 'WRITE_ACP' },
        { account: 'beef', permission: 'WRITE_ACP' },
        { group: 'AllUsers', permission: 'READ_ACP' },
      ],
    });
    expect(await grantsOf('a')).toMatchObject([
      { principal: 'Anyone may change who has access to the bucket', principalKind: 'link', role: 'write' },
      { role: 'owner' },
      { principal: 'Anyone (access list)', principalKind: 'anyone', role: 'write', external: true },
      { principal: 'Account beef', role: 'write', external: true },
    ]);
  });

  test('with all rights for anyone lets anyone write', async () => {
    lists({ acl: [{ group: 'AllUsers', permission: 'FULL_CONTROL' }] });
    fake.put('reports', 'a', 'a', { acl: [{ group: 'AllUsers', permission: 'FULL_CONTROL' }] });
    expect(await grantsOf('a')).toMatchObject([
      { principal: 'Anyone may list the keys of the bucket' },
      { principal: 'Anyone may add and replace objects of the bucket', role: 'write' },
      { principal: 'Anyone may change who has access to the bucket', role: 'write' },
      { role: 'owner' },
      { principal: 'Anyone (access list)', role: 'write' },
    ]);
  });
});

test('what opens a bucket is read once for many objects', async () => {
  open();
  const connector = createS3Connector({
    endpoint: fake.url,
    region: 'eu-central-1',
    pathStyle: true,
    secret: () => `${fake.keys.id}:${fake.keys.secret}`,
    buckets: ['reports'],
    accountId: fake.accountId,
    accountUrl: fake.url,
  });
  const keys = Array.from({ length: 20 }, (_, at) => `press/${at}.txt`);
  await Promise.all(
    keys.map((key) => connector.getPermissions(`${new URL(fake.url).host}/reports`, key, live)),
  );
  expect(fake.requests).toHaveLength(6);
});

test('a store that answers every question with a listing is not believed', async () => {
  fake.put('reports', 'press/a.txt', 'text');
  const body = '<?xml version="1.0"?><ListBucketResult><Name>reports</Name></ListBucketResult>';
  fake.instead = () => ({ status: 200, code: '', body });
  expect(await grantsOf()).toMatchObject([{ ...ANYONE, unconfirmed: true }]);
});

test('a store without policies and blocks has none of them', async () => {
  fake.put('reports', 'a', 'a', { acl: [{ group: 'AllUsers', permission: 'READ' }] });
  fake.instead = ({ setting, key }) =>
    setting !== '' && key === '' ? { status: 501, code: 'NotImplemented' } : null;
  expect((await grantsOf('a', { accountUrl: fake.url }))[1]).toMatchObject({ principalKind: 'anyone' });
});

test.runIf(existsSync(VENDOR))('the fake answers in the shapes of the vendor', async () => {
  fake.createBucket('reports', {
    policy: TO_ALL,
    block: BLOCK.none,
    ownership: 'ObjectWriter',
    acl: [{ group: 'AllUsers', permission: 'READ' }],
  });
  fake.accountBlock = BLOCK.none;
  await grantsOf();
  const { definitions } = JSON.parse(readFileSync(VENDOR, 'utf8')) as { definitions: object };
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const wrong = fake.outputs.flatMap(({ type, output }) => {
    const validate = ajv.compile({ $ref: `#/definitions/${type}`, definitions });
    return validate(output) ? [] : [[type, validate.errors]];
  });
  expect(wrong).toEqual([]);
  expect(new Set(fake.outputs.map(({ operation }) => operation)).size).toBe(5);
});
