import { expect, test } from 'vitest';
import { loadConfig } from '../../../core/config/config.ts';
import type { Db } from '../../../core/db/tx.ts';
import { findConnector } from '../../../core/integrations/connector-for.ts';
import { loadFixtureCompany } from '../../../core/integrations/fixture-company.ts';
import { labelWriterFor } from '../../../core/integrations/label-writer-for.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { directoryFor } from '../../../core/people/ask-directory.ts';
import { noGraph } from '../../support/graph/no-graph.ts';

const configured = (settings: Record<string, string>) =>
  loadConfig({
    SVC_DATABASE_URL: 'postgres://localhost/x',
    SVC_SESSION_SECRET: 'a-session-secret-of-its-own',
    ...settings,
  });
const tenantId = 'dev' as TenantId;

test('development in mock mode loads the fixture company, and nothing else does', async () => {
  const company = await loadFixtureCompany(configured({ SVC_ENV: 'development' }));
  expect(company?.connector({} as Db, tenantId)).toMatchObject({ family: 'm365', mode: 'mock' });
  expect(await loadFixtureCompany(configured({ SVC_ENV: 'production' }))).toBeNull();
  const graph = configured({ SVC_ENV: 'development', SVC_CONNECTOR_MODE: 'graph' });
  expect(await loadFixtureCompany(graph)).toBeNull();
});

test('without the company, mock is a source that is not configured', () => {
  const config = configured({ SVC_ENV: 'production' });
  const parts = { config, db: {} as Db, clock: Date.now, graph: noGraph, fixture: null };
  expect(findConnector(parts, tenantId, 'm365')).toEqual({ missing: ['SVC_CONNECTOR_MODE'] });
  expect(labelWriterFor(parts, tenantId, 'm365')).toBe('source_not_live');
  expect(directoryFor(parts)).toBeNull();
});
