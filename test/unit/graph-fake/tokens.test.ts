import { request } from 'node:https';
import { ClientCertificateCredential, ClientSecretCredential } from '@azure/identity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../support/graph/certificate.ts';
import type { GraphFake } from '../../support/graph/graph-fake.ts';
import { quickXorHash } from '../../support/graph/quick-xor-hash.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';

const SCOPE = 'https://graph.microsoft.com/.default';
const registered = selfSigned('registered');

let fake: GraphFake;
beforeAll(async () => {
  fake = await smallFake(
    {},
    { tokenSeconds: 600 },
    { apps: [{ ...APP, certificates: [registered.cert], permissions: ['Sites.Read.All'] }] },
  );
});
afterAll(() => fake.close());

const options = () => ({
  ...{ authorityHost: fake.authorityOrigin, disableInstanceDiscovery: true },
  tlsOptions: { ca: fake.ca },
});
const bySecret = (secret: string, clientId: string = APP.clientId, tenantId = fake.tenant().id) =>
  new ClientSecretCredential(tenantId, clientId, secret, options()).getToken(SCOPE);
const byCertificate = ({ cert, key }: { cert: string; key: string }) =>
  new ClientCertificateCredential(
    fake.tenant().id,
    APP.clientId,
    { certificate: cert + key },
    options(),
  ).getToken(SCOPE);
const sites = async (token: string) =>
  (
    await fetch(`${fake.graphOrigin}/v1.0/sites/getAllSites`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status;

describe('the authority of the fake of Graph', () => {
  test("gives tokens to the vendor's own client, by secret and by certificate", async () => {
    const { token, expiresOnTimestamp } = await bySecret(APP.secret);
    expect(await sites(token)).toBe(200);
    // The client counts in whole seconds, from before and after the call.
    expect(Math.abs(expiresOnTimestamp - Date.now() - 600_000)).toBeLessThan(60_000);
    expect(await sites((await byCertificate(registered)).token)).toBe(200);
  });

  test('refuses other secrets, certificates, applications and tenants', async () => {
    await expect(bySecret('another')).rejects.toThrow('AADSTS7000215');
    await expect(byCertificate(selfSigned('another'))).rejects.toThrow('AADSTS700027');
    await expect(bySecret(APP.secret, fake.tenant().id)).rejects.toThrow('AADSTS700016');
    await expect(bySecret(APP.secret, APP.clientId, APP.clientId)).rejects.toThrow('AADSTS90002');
  });

  test('gives a managed identity its token', async () => {
    const agent = `${fake.authorityOrigin}/msi/token?api-version=2019-08-01&resource=https://graph.microsoft.com`;
    const body = await new Promise<string>((resolve, reject) => {
      request(agent, { ca: fake.ca, headers: { 'x-identity-header': 'header' } }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    expect(await sites(JSON.parse(body).access_token)).toBe(200);
  });

  test('a revoked token is no token', async () => {
    const { token } = await bySecret(APP.secret);
    fake.revokeTokens();
    expect(await sites(token)).toBe(401);
  });
});

/** Contents and their hashes in Base64, of lengths around a byte, a cell and the width of the hash. */
test.each([
  ['', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA='],
  ['Sg==', 'SgAAAAAAAAAAAAAAAQAAAAAAAAA='],
  ['n6Neh7p6fFgm', 'nxiFFw6hCz3wAQsmCQAAAAAAAAA='],
  ['2fuxhBJXtpWFe8dOfdGeHw==', 'O9tHLAghgSvYohKFyMMxnNCHaHg='],
  ['rJaKh1dLR1k+4hynliTZMGf8Nd4qKKoZiAM=', 'r7bjwkl8OYQeNaMcCY8fTmEJEmQ='],
])('the hash of known content is the known hash: %s', (content, hash) => {
  expect(quickXorHash(Buffer.from(content, 'base64'))).toBe(hash);
});
