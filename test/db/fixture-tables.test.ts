import { afterAll, expect, inject, test } from 'vitest';
import { createSqlConnector } from '../../core/connectors/sql/sql-connector.ts';
import { withClient } from '../../core/db/client.ts';
import { dropDatabase } from '../../core/db/provision.ts';
import { TableSample } from '../../core/kernel/table-sample.ts';
import { fixtureTables } from '../../infra/local/fixture-tables.ts';

const live = new AbortController().signal;
const { adminUrl } = inject('cluster');

afterAll(async () => {
  await dropDatabase(adminUrl, 'nordwind');
  await withClient(adminUrl, (client) => client.query('drop role nordwind_reader'));
});

test('the made-up database is filled once, and its login only reads', async () => {
  await fixtureTables(adminUrl, 'of the first start');
  const settings = await fixtureTables(adminUrl, 'of the next start');
  const connector = createSqlConnector({
    connection: () => settings[settings.SVC_SQL_CONNECTION_REF ?? ''] ?? null,
    schemas: settings.SVC_SQL_SCHEMAS?.split(',') ?? [],
  });
  const [scopeId = ''] = connector.scopeIds;
  const { items } = await connector.listItems(scopeId, null, live);
  expect(items.map(({ path }) => path)).toEqual([
    'sales/customers',
    'sales/payments',
    'sales/products',
    'sales/customer_directory',
    'hr/employees',
    'hr/absences',
    'hr/salaries',
    'support/tickets',
  ]);
  const samples = await Promise.all(
    items.map(async ({ name, externalId }) => {
      const content = await connector.readContent(scopeId, externalId, 10_000_000, live);
      if (content.state !== 'available') return [name, content.state] as const;
      const { rows, allRowsVisible } = TableSample.parse(JSON.parse(new TextDecoder().decode(content.bytes)));
      return [name, rows.length > 4 && allRowsVisible] as const;
    }),
  );
  expect(Object.fromEntries(samples)).toEqual({
    customers: true,
    payments: true,
    products: true,
    customer_directory: true,
    // Row security shows a part.
    employees: false,
    absences: true,
    salaries: 'inaccessible',
    tickets: true,
  });
});
