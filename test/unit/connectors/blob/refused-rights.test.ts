import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBlobConnector } from '../../../../core/connectors/blob/blob-connector.ts';
import { startFilesFake } from '../../../support/files/files-fake.ts';

/* As Azure Storage refuses a right: 403 with this code. Each query needs the right that docs/permissions.md names. */
const REFUSAL = 'AuthorizationPermissionMismatch';
const live = new AbortController().signal;
const denied = new Set<string>();

const server = createServer((request, response) => {
  const { searchParams: query } = new URL(request.url ?? '', 'http://blobs.test');
  const asked =
    query.get('include')?.includes('tags') === true ? 'tags' : (query.get('comp') ?? 'properties');
  const isDenied = denied.has(asked);
  response.writeHead(isDenied ? 403 : 200, {
    'content-type': 'application/xml',
    ...(isDenied && { 'x-ms-error-code': REFUSAL }),
  });
  response.end('<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs/></EnumerationResults>');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/account`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => denied.clear());

test('a container names each right that is refused, and none that is granted', async () => {
  const secret = '?sv=2021-12-02&sig=a';
  const connector = createBlobConnector({ accountUrl: url, secret, containers: ['contracts'] });
  const [scopeId = ''] = connector.scopeIds;
  expect(await connector.refusedRights?.(scopeId, live)).toEqual([]);
  denied.add('tags').add('acl').add('properties');
  expect(await connector.refusedRights?.(scopeId, live)).toEqual([
    'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/tags/read',
    'Microsoft.Storage/storageAccounts/blobServices/containers/read',
    'Microsoft.Storage/storageAccounts/blobServices/containers/getAcl/action',
  ]);
});

test('a share names the right to its stored policies', async () => {
  const account = await startFilesFake();
  account.createShare('finance');
  const rights = async (secret: string) => {
    const places = { filesUrl: account.url, containers: [], shares: ['finance'] };
    const connector = createBlobConnector({ ...places, secret });
    return connector.refusedRights?.([...connector.scopeIds][0] ?? '', live);
  };
  expect(await rights(account.connectionString)).toEqual([]);
  expect(await rights(account.signature())).toEqual([
    'Microsoft.Storage/storageAccounts/fileServices/shares/read',
  ]);
  await account.stop();
});
