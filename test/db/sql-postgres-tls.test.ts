import { chown, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { withClient } from '../../core/db/client.ts';
import { type LocalPostgres, removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { keptData } from '../../infra/local/postgres-home.ts';
import { refusal } from '../contract/connector.exercise.ts';
import { selfSigned } from '../support/certificate.ts';

const live = new AbortController().signal;
const trusted = selfSigned(30);
const authorities = getCACertificates('default');

let dataDir: string;
let server: LocalPostgres;

/** A Postgres whose certificate is for 127.0.0.1 and localhost. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'test-tls-'));
  server = await startPostgres({ dataDir, durable: false, log: () => undefined });
  const data = (await keptData(dataDir)) ?? expect.unreachable();
  const { uid, gid } = await stat(data);
  for (const [name, content] of [
    ['server.crt', trusted.cert],
    ['server.key', trusted.key],
  ] as const) {
    const file = path.join(data, name);
    await writeFile(file, content, { mode: 0o600 });
    await chown(file, uid, gid);
  }
  await withClient(server.url, async (client) => {
    await client.query("create role reader login password 'reader'");
    await client.query('create schema shop');
    await client.query('create table shop.people (name text)');
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
  });
});
afterAll(async () => {
  setDefaultCACertificates(authorities);
  await server.stop();
  await removePostgres(dataDir);
});

const list = (host: string) => {
  const url = new URL(server.url);
  const connection = `postgres://reader:reader@${host}:${url.port}/postgres`;
  const connector = createSqlConnector({ connection: () => connection, schemas: ['shop'] });
  const [scopeId = ''] = connector.scopeIds;
  return connector.listItems(scopeId, null, live);
};

test('a server whose certificate nobody vouches for is refused', async () => {
  expect(await refusal(list('127.0.0.1'))).toMatchObject({
    safeDiagnostic: 'sql_tls_refused',
    retryClass: 'permanent',
  });
});

test('with an authority that vouches for it, a database is read with TLS', async () => {
  setDefaultCACertificates([...authorities, trusted.cert]);
  for (const host of ['127.0.0.1', 'localhost'])
    expect((await list(host)).items.map(({ path: at }) => at)).toEqual(['shop/people']);
  await withClient(server.url, async (client) => {
    const { rows } = await client.query(`
      select distinct s.ssl, s.version from pg_stat_ssl s join pg_stat_activity a using (pid)
       where a.application_name = 'data-governance'`);
    expect(rows).toEqual([{ ssl: true, version: 'TLSv1.3' }]);
  });
});

test('a certificate of another host is refused', async () => {
  setDefaultCACertificates([...authorities, trusted.cert]);
  // The same server by an address that the certificate does not name.
  expect(await refusal(list('127.0.0.2'))).toMatchObject({ safeDiagnostic: expect.stringMatching(/^sql_/) });
});
