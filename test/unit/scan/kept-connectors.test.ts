import { expect, it } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import type { Db } from '../../../core/db/tx.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { keptConnectors } from '../../../core/scan/kept-connectors.ts';
import { fixtureCompany } from '../../../infra/local/fixture/fixture-company.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const config = loadConfig({
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_DATABASE_URL: 'postgres://nowhere',
  SVC_SMB_ENABLED: 'true',
  SVC_SMB_ROOT: import.meta.dirname,
  SVC_SMB_SHARES: '.',
});
const parts = { config, db: {} as Db, clock: () => 0, graph: noGraph, fixture: fixtureCompany };
const tenant = (n: number) => `tenant-${n}` as TenantId;

it('gives the same connector again, one for each tenant and family', () => {
  const connectorOf = keptConnectors(parts);
  const first = connectorOf(tenant(1), 'smb');
  expect(connectorOf(tenant(1), 'smb')).toBe(first);
  expect(connectorOf(tenant(2), 'smb')).not.toBe(first);
  expect(connectorOf(tenant(1), 'm365').family).toBe('m365');
  expect(keptConnectors(parts)(tenant(1), 'smb')).not.toBe(first);
});

it('keeps no more than a bounded number', () => {
  const connectorOf = keptConnectors(parts);
  const [oldest, recent] = [connectorOf(tenant(0), 'smb'), connectorOf(tenant(1), 'smb')];
  for (let n = 2; n <= 500; n++) connectorOf(tenant(n), 'smb');
  expect(connectorOf(tenant(1), 'smb')).toBe(recent);
  expect(connectorOf(tenant(0), 'smb')).not.toBe(oldest);
});

it('takes in an instance whose credential is there at last', async () => {
  const store = { buckets: ['cases'], credentialRef: 'ARCHIVE' };
  const account = {
    ...{ accountUrl: 'https://hr.example', containers: ['files'], credentialRef: 'APPLICATION' },
    ...{ tenantId: 'tenant', clientId: 'client' },
  };
  const env: Record<string, string> = {
    ...{ SVC_ENV: 'development', SVC_AUTH_MODE: 'dev', SVC_DATABASE_URL: 'postgres://nowhere' },
    ...{ SVC_S3_ENABLED: 'true', SVC_S3_BUCKETS: 'reports', SVC_S3_CREDENTIAL_REF: 'KEY', KEY: 'id:secret' },
    SVC_S3_INSTANCES: JSON.stringify({ archive: { ...store, endpoint: 'https://archive.example' } }),
    ...{ SVC_BLOB_ENABLED: 'true', SVC_BLOB_ACCOUNT_URL: 'https://a.example', SVC_BLOB_CONTAINERS: 'b' },
    ...{ SVC_BLOB_CREDENTIAL_REF: 'SIGNATURE', SIGNATURE: 'sv=1&sig=a' },
    SVC_BLOB_INSTANCES: JSON.stringify({ hr: account }),
  };
  const connectorOf = keptConnectors({ ...parts, config: loadConfig(env) });
  const scopesOf = () =>
    (['s3', 'blob'] as const).flatMap((family) => [...(connectorOf(tenant(1), family).scopeIds ?? [])]);
  expect(scopesOf()).toEqual(['aws/reports', 'a/b']);
  Object.assign(env, { ARCHIVE: 'id:secret', APPLICATION: 'secret' });
  expect(scopesOf()).toEqual(['aws/reports', 'archive.example/cases', 'a/b', 'hr/files']);
});

it('refuses a source that is not configured each time it is asked', () => {
  const connectorOf = keptConnectors(parts);
  for (let attempt = 0; attempt < 2; attempt++)
    expect(() => connectorOf(tenant(1), 'blob')).toThrow('source_not_configured');
});
