import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database.drop());

type Definer = {
  name: string;
  /** The body. A body of the standard's form is null: the server keeps what its names meant when it was made. */
  source: string | null;
  settings: string[];
  owner: string;
  ownerMayLogIn: boolean;
  ownerIsOwnerOfDatabase: boolean;
};

const definers = () =>
  database.inspect<Definer>(sql`
    select p.proname as name, case when p.prosqlbody is null then p.prosrc end as source,
           coalesce(p.proconfig, '{}') as settings, r.rolname as owner, r.rolcanlogin as "ownerMayLogIn",
           r.oid = d.datdba as "ownerIsOwnerOfDatabase"
      from pg_proc p
      join pg_roles r on r.oid = p.proowner
      join pg_database d on d.datname = current_database()
     where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
     order by 1`);

/** Functions and types that the text names without their schema. */
function unqualified(source: string, known: { functions: ReadonlySet<string>; types: ReadonlySet<string> }) {
  const text = source.replaceAll(/--.*$/gm, '');
  const called = text.matchAll(/(?<![\w.])([a-z_]\w*)\s*\(/g);
  const cast = text.matchAll(/::\s*"?([a-z_]\w*)"?(?!\w*\.)/g);
  const declared = text.matchAll(/\w"? "?([a-z_]\w*)"?(?:\[\])?(?= :=|;|,|\)|$)/gm);
  // `interval '1 minute'`
  const literal = text.matchAll(/(?<![\w.])([a-z_]\w*) (?:e|U&)?'/g);
  return [
    ...[...called].flatMap(([, name = '']) => (known.functions.has(name) ? [`${name}()`] : [])),
    ...[...cast, ...declared, ...literal].flatMap(([, name = '']) => (known.types.has(name) ? [name] : [])),
  ];
}

test('a function with the rights of another role trusts no name of its caller', async () => {
  const functions = await database.inspect<{ name: string }>(
    sql`select distinct proname as name from pg_proc`,
  );
  const types = await database.inspect<{ name: string }>(sql`
    select typname as name from pg_type where typtype <> 'c' union select unnest(array['bigint', 'integer', 'boolean'])`);
  const known = {
    functions: new Set(functions.map(({ name }) => name)),
    types: new Set(types.map(({ name }) => name)),
  };
  const all = await definers();
  expect(all.length).toBeGreaterThan(3);
  for (const { name, source, settings } of all) {
    // What has no schema is found in pg_catalog or nowhere, and never first in the temporary schema.
    expect(settings, name).toContain('search_path=pg_catalog, pg_temp');
    expect(unqualified(source ?? '', known), name).toEqual([]);
  }
  expect(
    unqualified(`declare a text := lower('x'); begin b::jsonb; c public.text; d pg_catalog.int8;`, known),
  ).toEqual(['lower()', 'jsonb', 'text']);
});

test('its role owns such functions alone, and nobody can log in as it', async () => {
  const all = await definers();
  for (const definer of all) {
    expect(definer, definer.name).toMatchObject({ ownerMayLogIn: false, ownerIsOwnerOfDatabase: false });
  }
  const owned = await database.inspect<{ object: string }>(sql`
    select pg_describe_object(d.classid, d.objid, 0) as object
      from pg_shdepend d join pg_roles r on r.oid = d.refobjid and d.refclassid = 'pg_authid'::regclass
     where d.deptype = 'o' and r.rolname = any(${all.map(({ owner }) => owner)}::text[])
       and d.dbid = (select oid from pg_database where datname = current_database())
       and not exists (select from pg_proc p where d.classid = 'pg_proc'::regclass and p.oid = d.objid and p.prosecdef)`);
  expect(owned).toEqual([]);
});

/** A call of each function that succeeds, as the role that calls it. Null stands for the login itself. */
const CALLS: Readonly<Record<string, { as: 'svc_app' | null; call: string }>> = {
  assets_having: {
    as: 'svc_app',
    call: `public.assets_having('[{"query": "amber", "any": ["x"]}]', array['y'::pg_catalog.text], null, null, 5)`,
  },
  assets_matching: { as: 'svc_app', call: `public.assets_matching('amber', true, 5)` },
  audit_append: {
    as: 'svc_app',
    call: `public.audit_append(array['{"tenantId":"${DEV}","category":"auth"}'::pg_catalog.text])`,
  },
  session_principal: { as: null, call: `public.session_principal('x', pg_catalog.now(), '1 hour')` },
  tenant_of_issuer: { as: null, call: `public.tenant_of_issuer('https://idp.test')` },
  token_principal: { as: null, call: `public.token_principal('https://idp.test', 'x', pg_catalog.now())` },
};

/**
 * What a caller can put before the names of a function: a domain for each type and a view for each table, which call a
 * temporary function. That one refuses to run for anybody but its maker.
 */
async function layTraps(client: Client): Promise<void> {
  await client.query(`
    create function pg_temp.spy(pg_catalog.text) returns pg_catalog.bool language plpgsql as $$
    begin
      if current_user <> all (array['svc_app', 'test_runtime']) then
        raise exception 'it ran as %', current_user;
      end if;
      return true;
    end $$`);
  await client.query(`
    do $$
    declare
      v_name pg_catalog.text;
    begin
      for v_name in select typname from pg_catalog.pg_type
                     where typnamespace = 'pg_catalog'::pg_catalog.regnamespace and typtype = 'b' and typcategory <> 'A'
                       and typname not like 'pg\\_%' and typname not like 'reg%' loop
        execute pg_catalog.format(
          'create domain pg_temp.%1$I as pg_catalog.%1$I check (pg_temp.spy(value::pg_catalog.text))', v_name);
      end loop;
      for v_name in select relname from pg_catalog.pg_class
                     where relnamespace = 'public'::pg_catalog.regnamespace and relkind in ('r', 'p') loop
        execute pg_catalog.format(
          'create view pg_temp.%1$I as select * from public.%1$I where pg_temp.spy(%1$L)', v_name);
      end loop;
    end $$`);
}

test('each of them can be called, and the attack on each is played', async () => {
  expect(Object.keys(CALLS)).toEqual((await definers()).map(({ name }) => name));
});

test.each(Object.entries(CALLS))('%s runs nothing that its caller has made', async (_, { as, call }) => {
  // `npm run migrate` takes this right away from everybody, where it may.
  await withClient(database.adminUrl, (admin) =>
    admin.query(
      `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
    ),
  );
  const played = (attack: boolean) =>
    withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(`set local svc.tenant_id = '${DEV}'`);
      if (as !== null) await client.query(`set local role ${as}`);
      if (attack) await layTraps(client);
      const { rowCount } = await client.query(`select ${call}`);
      await client.query('rollback');
      return rowCount;
    });
  expect(await played(true)).toBe(await played(false));
});
