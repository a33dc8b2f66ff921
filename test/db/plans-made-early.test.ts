import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { nodesOf, type RanPlan } from '../support/plans.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** Copies of each row that a scan has written. */
const COPIES = 3_000;
/** More than a unit has to do with, and far fewer than a table has. */
const FEW = 1_000;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let plans: RanPlan[] = [];

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 10 });
  const name = new URL(database.adminUrl).pathname.slice(1);
  await withClient(database.adminUrl, async (client) => {
    for (const setting of [
      `session_preload_libraries = 'auto_explain'`,
      `"auto_explain.log_min_duration" = 0`,
      `"auto_explain.log_nested_statements" = on`,
      `"auto_explain.log_analyze" = on`,
      `"auto_explain.log_timing" = off`,
      `"auto_explain.log_format" = json`,
      `"auto_explain.log_level" = notice`,
    ])
      await client.query(`alter role test_runtime in database ${name} set ${setting}`);
  });
  // One unit at a time, so that each statement is prepared once on few connections.
  service = await startService(database, { SVC_WORKER_CONCURRENCY: '1', SVC_DATABASE_POOL_SIZE: '2' });
  service.runtime().db.pool.on('connect', (client) =>
    client.on('notice', ({ message = '' }) => {
      if (message.includes('plan:')) plans.push(JSON.parse(message.replace(/^[^{]*/, '')));
    }),
  );
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

async function scan(kind: 'inventory' | 'delta', externalId: string): Promise<void> {
  const { body } = await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources');
  const scopeId = body.items.find((source) => source.externalId === externalId)?.scopeId;
  expect((await admin.post('/api/scans', { scopeId, kind })).status).toBe(200);
  await service.drain();
}

/** Writes each row of the tables of assets and units many times, under other ids, without telling the planner. */
const fill = () =>
  withClient(database.adminUrl, (client) =>
    client.query(`
    set session_replication_role = replica;
    do $$
    declare
      v_table record;
      v_ids text;
    begin
      for v_table in
        select c.oid::regclass as name, array_agg(a.attname) filter (where a.attidentity = '' and a.attgenerated = '') as columns,
               array_agg(a.attname) filter (where a.atttypid = 'text'::regtype and a.attname ~ '_(id|key)$' and a.attname <> 'tenant_id' and exists (
                 select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any (i.indkey))) as ids
          from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
           and (c.relname in ('work_units', 'campaigns', 'dead_letters') or exists (
             select from pg_attribute k where k.attrelid = c.oid and k.attname = 'asset_id'))
         group by c.oid
      loop
        continue when v_table.ids is null;
        v_ids := array_to_string(array(select format('%L, r.%I || ''_'' || n', id, id) from unnest(v_table.ids) as id), ', ');
        execute format(
          'insert into %1$s (%2$s) select %3$s from (select * from %4$s limit 1) r cross join generate_series(1, ${COPIES}) n '
          'cross join lateral jsonb_populate_record(null::%4$s, to_jsonb(r) || jsonb_build_object(%5$s)) as p '
          'on conflict do nothing',
          v_table.name, array_to_string(array(select quote_ident(c) from unnest(v_table.columns) as c), ', '),
          array_to_string(array(select 'p.' || quote_ident(c) from unnest(v_table.columns) as c), ', '),
          v_table.name, v_ids);
      end loop;
    end $$`),
  );

/** It reads what is listed of a scope, once at the end of a listing. */
const OF_A_SCOPE = 'select unnest(asset_ids) as asset_id from delta_listings';

/** Statements of which a part has read many rows, with the relation and the number. */
const longReads = () => [
  ...new Set(
    plans
      .filter((plan) => !plan['Query Text'].includes(OF_A_SCOPE))
      .flatMap((plan) =>
        nodesOf(plan.Plan).flatMap((node) => {
          const read =
            ((node['Actual Rows'] ?? 0) +
              (node['Rows Removed by Filter'] ?? 0) +
              (node['Rows Removed by Join Filter'] ?? 0)) *
            (node['Actual Loops'] ?? 1);
          const what = node['Index Name'] ?? node['Relation Name'];
          return read > FEW && what !== undefined
            ? [`${node['Node Type']} ${what}: ${plan['Query Text'].replaceAll(/\s+/g, ' ').slice(0, 160)}`]
            : [];
        }),
      ),
  ),
];

test('plans that were made while the tables were empty stay good when they are full', async () => {
  await scan('inventory', 'site-people');
  expect(plans.length).toBeGreaterThan(100);
  await fill();
  plans = [];
  await scan('inventory', 'site-operations');
  await scan('delta', 'site-people');
  expect(plans.length).toBeGreaterThan(100);
  expect(longReads()).toEqual([]);
});
