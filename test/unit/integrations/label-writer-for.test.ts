import { expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import type { SourceFamily } from '../../../core/connectors/connector.ts';
import type { GraphClient } from '../../../core/connectors/m365/graph-client.ts';
import type { Db } from '../../../core/db/tx.ts';
import { labelWriterFor } from '../../../core/integrations/label-writer-for.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { fixtureCompany } from '../../../infra/local/fixture/fixture-company.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const WHOLE = {
  SVC_ENV: 'development',
  SVC_DATABASE_URL: 'postgres://localhost/none',
  SVC_CONNECTOR_MODE: 'graph',
  SVC_GRAPH_TENANT_ID: 'directory',
  SVC_GRAPH_CLIENT_ID: 'reader',
  SVC_GRAPH_CLIENT_SECRET_REF: 'GRAPH_SECRET',
  GRAPH_SECRET: 'resolved',
  SVC_GRAPH_SITES: 'all',
  SVC_LABEL_READ_ENABLED: 'true',
  SVC_LABEL_WRITE_ENABLED: 'true',
  SVC_LABEL_WRITE_CLIENT_ID: 'writer',
  SVC_LABEL_WRITE_CLIENT_SECRET_REF: 'LABEL_SECRET',
  LABEL_SECRET: 'resolved',
};
const writerFor = (
  change: Partial<Record<keyof typeof WHOLE | 'SVC_GRAPH_CLOUD', string>>,
  family?: SourceFamily,
) => {
  const env = Object.fromEntries(Object.entries({ ...WHOLE, ...change }).filter(([, value]) => value !== ''));
  const graph = { ...noGraph, writesLabels: () => ({}) as GraphClient };
  const parts = { config: loadConfig(env), db: {} as Db, clock: Date.now, graph, fixture: fixtureCompany };
  return labelWriterFor(parts, 'dev' as TenantId, family ?? 'm365');
};

test('labels are written live where every prerequisite is there', () => {
  expect(writerFor({})).toMatchObject({ mode: 'live' });
});

test.each([
  ['label_write_off', { SVC_LABEL_WRITE_ENABLED: '' }],
  ['label_read_off', { SVC_LABEL_READ_ENABLED: '' }],
  ['cloud_cannot_write_labels', { SVC_GRAPH_CLOUD: 'usgov' }],
  ['write_client_id_missing', { SVC_LABEL_WRITE_CLIENT_ID: '' }],
  ['write_client_secret_missing', { SVC_LABEL_WRITE_CLIENT_SECRET_REF: '' }],
  ['write_client_secret_missing', { LABEL_SECRET: '' }],
  ['source_not_live', { SVC_GRAPH_TENANT_ID: '' }],
  ['source_not_live', { GRAPH_SECRET: '' }],
  ['source_not_live', { SVC_GRAPH_SITES: '' }],
])('%s', (block, change) => {
  expect(writerFor(change)).toBe(block);
});

test('the fixture has a writer of its own, and other sources have none', () => {
  expect(writerFor({ SVC_CONNECTOR_MODE: 'mock' })).toMatchObject({ mode: 'mock' });
  expect(writerFor({}, 'drive')).toBe('label_write_not_live');
  for (const family of ['smb', 'blob', 'sql', 'mail'] as const)
    expect(writerFor({}, family)).toBe('source_has_no_labels');
});
