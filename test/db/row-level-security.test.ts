import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sqlState } from '../../core/db/errors.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const MINE = 'mine' as TenantId;
const THEIRS = 'theirs' as TenantId;
const NOBODYS = 'nobodys' as TenantId;
const INSUFFICIENT_PRIVILEGE = '42501';

/** Tables that belong to no tenant. */
const COMMON_TABLES = ['call_budgets', 'scanners', 'schema_migrations'];

/** What the engine may see across tenants; each entry is a decision. */
const ENGINE_TABLES = [
  'actions',
  'audit_checkpoints',
  'audit_heads',
  'campaign_ends',
  'campaign_left_out',
  'campaign_stage_counts',
  'campaigns',
  'change_notifications',
  'change_subscriptions',
  'dead_letters',
  'licenses',
  'message_containers',
  'message_syncs',
  'owner_assignments',
  'placement_changes',
  'principal_roles',
  'principals',
  'schedule_times',
  'schedules',
  'scopes',
  'suppressions',
  'tenant_counters',
  'work_units',
];

/** `modifier`: of a string of bits its length. */
type Column = { table: string; name: string; type: string; modifier: number; generated: boolean };

let database: TestDatabase;
let columns: Map<string, Column[]>;

/**
 * A row for each of two tenants in every table, whatever the table: constraints, triggers and privileges are taken away
 * in this database first, so that a row is easily made and nothing but the policies stands between the tenants.
 */
beforeAll(async () => {
  database = await createTestDatabase();
  columns = await tenantColumns();
  await withClient(database.adminUrl, async (client) => {
    await dropRules(client);
    await client.query('grant all on all tables in schema public to svc_app');
    for (const [table, list] of columns) {
      for (const [index, tenant] of [MINE, THEIRS].entries()) {
        const { text, values } = insertion(table, list, tenant, index + 1);
        await client.query(text, [...values]);
      }
    }
  });
});
afterAll(() => database.drop());

async function tenantColumns(): Promise<Map<string, Column[]>> {
  const rows = await database.inspect<Column>(sql`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type, a.atttypmod as modifier,
           a.attgenerated <> '' or a.attidentity <> '' as generated
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
       and not a.attisdropped
       and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
     order by c.relname, a.attnum`);
  return Map.groupBy(rows, (column) => column.table);
}

async function dropRules(client: Client): Promise<void> {
  await client.query(`do $$
    declare r record;
    begin
      for r in select conrelid::regclass as t, conname from pg_constraint
                where connamespace = 'public'::regnamespace and contype in ('f', 'c') loop
        execute format('alter table %s drop constraint %I', r.t, r.conname);
      end loop;
      for r in select distinct tgrelid::regclass as t from pg_trigger where not tgisinternal loop
        execute format('alter table %s disable trigger user', r.t);
      end loop;
      for r in select attrelid::regclass as t, attname from pg_attribute
                where attgenerated <> '' and attnotnull and attrelid::regclass::text not like 'pg\\_%' loop
        execute format('alter table %s alter column %I drop not null', r.t, r.attname);
      end loop;
    end $$`);
}

/** JSON is also text, so that a column derived from JSON in a text column gets a value. */
function sampleOf({ type, modifier }: Column, number: number): Statement {
  switch (type) {
    case 'text':
      return sql`${`"value-${number}"`}`;
    case 'text[]':
      return sql`${[`value-${number}`]}::text[]`;
    case 'integer[]':
      return sql`${[number]}::integer[]`;
    case 'bit':
      return sql`${'01'.repeat(modifier / 2)}`;
    case 'jsonb':
      return sql`${sql.json({ number })}::jsonb`;
    case 'bytea':
      return sql`${Buffer.alloc(32, number)}`;
    case 'boolean':
      return sql`${false}`;
    case 'uuid':
      return sql`${`00000000-0000-0000-0000-${String(number).padStart(12, '0')}`}::uuid`;
    case 'date':
    case 'timestamp with time zone':
      return sql`${new Date(number)}`;
    default:
      return sql`${number}`;
  }
}

function insertion(table: string, list: readonly Column[], tenant: string, number: number): Statement {
  const given = list.filter((column) => !column.generated);
  const names = given.map((column) => sql.ident(column.name));
  const values = given.map((column) =>
    column.name === 'tenant_id' ? sql`${tenant}` : sampleOf(column, number),
  );
  const listed = (pieces: readonly Statement[]) => pieces.reduce((list, piece) => sql`${list}, ${piece}`);
  return sql`insert into ${sql.ident(table)} (${listed(names)}) values (${listed(values)})`;
}

const as = <T>(tenantId: TenantId, fn: (tx: Tx) => Promise<T>) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);

const refused = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'allowed',
    (error: unknown) => sqlState(error) ?? 'another error',
  );

const tenantsSeen = async (tx: Tx, table: string) =>
  (
    await tx.query<{ tenant_id: string }>(sql`select tenant_id from ${sql.ident(table)} order by tenant_id`)
  ).map((row) => row.tenant_id);

test('every table but the common ones belongs to tenants, with row-level security', async () => {
  const rows = await database.inspect<{ name: string; secured: boolean; tenant: boolean }>(sql`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as secured,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull) as tenant
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`);
  const open = rows.filter((row) => !row.secured || !row.tenant).map((row) => row.name);
  expect(open.sort()).toEqual(COMMON_TABLES);
  expect(columns.size).toBe(rows.length - COMMON_TABLES.length);
  expect(columns.size).toBeGreaterThan(20);
});

test('no view or sequence of a tenant goes around the policies', async () => {
  const views = await database.inspect(sql`
    select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')`);
  expect(views).toEqual([]);
});

test('the runtime roles neither bypass policies nor own anything', async () => {
  const rows = await database.inspect<{ role: string; bypasses: boolean; owns: boolean }>(sql`
    select r.rolname as role, r.rolbypassrls or r.rolsuper as bypasses,
           exists (select from pg_class c where c.relowner = r.oid) as owns
      from pg_roles r where r.rolname in ('svc_app', 'svc_engine', 'svc_audit', 'test_runtime') order by 1`);
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(row).toMatchObject({ bypasses: false, owns: false });
});

describe('under the setting of one tenant, without a tenant predicate', () => {
  const forEachTable = async (fn: (table: string, list: Column[]) => Promise<void>) => {
    for (const [table, list] of columns) await fn(table, list);
  };

  test('a query returns its own rows, and nothing under a tenant without rows', () =>
    forEachTable(async (table) => {
      expect(await as(MINE, (tx) => tenantsSeen(tx, table)), table).toEqual([MINE]);
      expect(await as(THEIRS, (tx) => tenantsSeen(tx, table)), table).toEqual([THEIRS]);
      expect(await as(NOBODYS, (tx) => tenantsSeen(tx, table)), table).toEqual([]);
    }));

  test('a row for another tenant is refused', () =>
    forEachTable(async (table, list) => {
      const attempt = as(MINE, (tx) => tx.execute(insertion(table, list, THEIRS, 3)));
      expect(await refused(attempt), table).toBe(INSUFFICIENT_PRIVILEGE);
    }));

  test('a row cannot be moved to another tenant', () =>
    forEachTable(async (table) => {
      const attempt = as(MINE, (tx) => tx.execute(sql`update ${sql.ident(table)} set tenant_id = ${THEIRS}`));
      expect(await refused(attempt), table).toBe(INSUFFICIENT_PRIVILEGE);
    }));

  test('an update and a delete touch no row of another tenant', () =>
    forEachTable(async (table) => {
      const name = sql.ident(table);
      const touched = await as(NOBODYS, async (tx) => [
        await tx.execute(sql`update ${name} set tenant_id = tenant_id`),
        await tx.execute(sql`delete from ${name}`),
      ]);
      expect(touched, table).toEqual([0, 0]);
      const updated = await as(MINE, (tx) => tx.execute(sql`update ${name} set tenant_id = tenant_id`));
      expect(updated, table).toBe(1);
      const [left] = await database.inspect<{ count: string }>(sql`select count(*) from ${name}`);
      expect(Number(left?.count), table).toBe(2);
    }));
});

test('without a setting, and as the owner of the tables, there are no rows at all', async () => {
  await withClient(database.url, async (client) => {
    for (const table of columns.keys()) {
      await client.query('begin');
      await client.query('set local role svc_app');
      const { rows } = await client.query(`select 1 from "${table}"`);
      expect(rows, table).toEqual([]);
      await client.query('rollback');
    }
  });
  await withClient(database.ownerUrl, async (client) => {
    for (const table of columns.keys()) {
      expect((await client.query(`select 1 from "${table}"`)).rows, table).toEqual([]);
    }
  });
});

test('the login itself may read nothing before it takes a role', async () => {
  await withClient(database.url, async (client) => {
    for (const table of columns.keys()) {
      expect(await refused(client.query(`select 1 from "${table}"`)), table).toBe(INSUFFICIENT_PRIVILEGE);
    }
  });
});

test('the engine sees both tenants in its own tables and may not look into the others', async () => {
  const seen: string[] = [];
  for (const table of columns.keys()) {
    const answer = await withEngineTx(database.db, (tx) =>
      tx.query(sql`select 1 from ${sql.ident(table)}`),
    ).then((rows) => rows.length, sqlState);
    if (answer === 2) seen.push(table);
    else expect(answer, table).toBe(INSUFFICIENT_PRIVILEGE);
  }
  expect(seen).toEqual(ENGINE_TABLES);
});
