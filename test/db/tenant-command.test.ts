import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { sha256 } from '../../core/auth/session.sql.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runCommand, runHere } from '../support/run-command.ts';

/** `npm run tenant` as whoever deploys runs it, with the login that owns the schema. */
const COMMAND = path.resolve(import.meta.dirname, '../../core/commands/tenant.ts');
const ORIGIN = 'https://governance.acme.example';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let count = 0;
/** A tenant of the test alone, which is not there yet, and the issuer of the settings. */
let tenant: string;
let issuer: string;
/** Ids of people whom a test may add. */
let ada: string;
let bo: string;
beforeEach(() => {
  count += 1;
  tenant = `acme-${count}`;
  issuer = `https://id-${count}.example`;
  ada = `pri_a${count}`;
  bo = `pri_b${count}`;
});

const settings = () => ({
  SVC_ENV: 'development',
  SVC_DATABASE_URL: database.url,
  SVC_MIGRATION_DATABASE_URL: database.ownerUrl,
  SVC_IDP_ISSUER: issuer,
  SVC_IDP_REDIRECT_URI: `${ORIGIN}/api/auth/idp/callback`,
});
/** @param changes settings that differ; an empty one is unset */
const run = (args: readonly string[], changes: Record<string, string> = {}) =>
  runHere(COMMAND, args, { env: { ...settings(), ...changes } });

/** Runs what must succeed; what it prints. */
async function done(...args: string[]): Promise<string> {
  const { code, out, err } = await run(args);
  expect([code, err]).toEqual([0, '']);
  return out;
}
const init = () => done('init', tenant, '--name', 'Acme Ltd');
/** Another tenant, of another issuer. */
const initOther = async () => {
  await done('init', `${tenant}-other`, '--name', 'Other', '--issuer', `${issuer}/other`);
  return `${tenant}-other`;
};

const codeIn = (out: string) => /\(one hour, used once\): (\S+)\n/.exec(out)?.[1] ?? expect.unreachable(out);

const tenants = () =>
  database.inspect<{ id: string; name: string; issuer: string | null }>(sql`
    select tenant_id as id, name, idp_issuer as issuer from tenants where tenant_id like ${`${tenant}%`} order by 1`);

type Code = { hash: Buffer; minutes: number; used: boolean; principalId: string | null };
const codes = () =>
  database.inspect<Code>(sql`
    select code_hash as hash, extract(epoch from expires_at - created_at)::int / 60 as minutes,
           used_at is not null as used, principal_id as "principalId"
      from sign_in_codes where tenant_id = ${tenant} order by created_at`);

type Event = { type: string; principalId: string | null; target: { id: string } | null; details: object };
const events = async () => {
  const rows = await database.inspect<{ event: Event }>(
    sql`select record::jsonb -> 'event' as event from audit_events where tenant_id = ${tenant} order by seq`,
  );
  return rows.map(({ event: { type, principalId, target, details } }) => ({
    ...{ type, principalId, target: target?.id ?? null, details },
  }));
};

const addPerson = (id: string, displayName = 'Ada Bauer') =>
  database.inspect(sql`
    insert into principals (tenant_id, principal_id, display_name, idp_issuer, idp_subject, created_at)
    select tenant_id, ${id}, ${displayName}, idp_issuer, ${id}, now() from tenants where tenant_id = ${tenant}`);
const claim = (id: string, role: string) =>
  database.inspect(sql`
    insert into principal_roles (tenant_id, principal_id, role, source) values (${tenant}, ${id}, ${role}, 'claimed')`);
const roles = async (id: string) =>
  (
    await database.inspect<{ role: string }>(sql`
      select role || ' ' || source as role from principal_roles
       where tenant_id = ${tenant} and principal_id = ${id} order by 1`)
  ).map(({ role }) => role);

describe('init', () => {
  test('makes a tenant of the issuer and prints a link to become its administrator', async () => {
    const out = await init();
    expect(await tenants()).toEqual([{ id: tenant, name: 'Acme Ltd', issuer }]);
    expect(out.split('\n')).toEqual([
      `Created ${tenant} for the people of ${issuer}`,
      `Setup code (one hour, used once): ${codeIn(out)}`,
      `Open ${ORIGIN}/api/auth/idp/login?code=${codeIn(out)} and sign in.`,
      '',
    ]);
    const ensembles = await database.inspect(
      sql`select version from ensembles where tenant_id = ${tenant} and active`,
    );
    expect(ensembles).toEqual([{ version: 1 }]);
  });

  test('takes the issuer of Microsoft from the directory, and another one by name', async () => {
    const directory = { SVC_IDP_ISSUER: '', SVC_IDP_TENANT_ID: '72f988bf' };
    expect((await run(['init', tenant, '--name', 'Acme'], directory)).code).toBe(0);
    await initOther();
    expect((await tenants()).map(({ issuer }) => issuer)).toEqual([
      'https://login.microsoftonline.com/72f988bf/v2.0',
      `${issuer}/other`,
    ]);
  });

  test('changes nothing where the tenant is there already', async () => {
    await init();
    const before = [await tenants(), await events(), await codes()];
    const { code, out, err } = await run(['init', tenant, '--name', 'Another', '--issuer', `${issuer}/x`]);
    expect([code, out, err]).toEqual([1, '', `The tenant ${tenant} already exists.\n`]);
    expect([await tenants(), await events(), await codes()]).toEqual(before);
  });

  test('refuses a second tenant of one issuer', async () => {
    await init();
    const { code, out, err } = await run(['init', `${tenant}-second`, '--name', 'Second']);
    expect([code, out, err]).toEqual([1, '', 'Another tenant already has this issuer.\n']);
    expect((await tenants()).map(({ id }) => id)).toEqual([tenant]);
  });

  test('prints the code without a link where no redirect URI is set', async () => {
    const { code, out } = await run(['init', tenant, '--name', 'Acme'], { SVC_IDP_REDIRECT_URI: '' });
    expect(code).toBe(0);
    expect(out).not.toContain('Open');
    expect((await codes()).map(({ hash }) => hash)).toEqual([sha256(codeIn(out))]);
  });
});

describe('list', () => {
  test('tells tenants with their issuers', async () => {
    await init();
    const other = await initOther();
    const lines = (await done('list')).split('\n');
    expect(lines).toContain(`${tenant}\tAcme Ltd\t${issuer}`);
    expect(lines).toContain(`${other}\tOther\t${issuer}/other`);
  });

  test('tells the people of a tenant with their roles and where these are from', async () => {
    await init();
    await addPerson(ada, 'Ada Bauer');
    await addPerson(bo, 'Bo Chen');
    await claim(ada, 'auditor');
    await done('grant', tenant, ada, 'platform_admin');
    await database.inspect(sql`
      update principals set status = 'disabled' where tenant_id = ${tenant} and principal_id = ${bo}`);
    expect(await done('list', tenant)).toBe(
      `${ada}\tAda Bauer\tactive\tauditor (claimed), platform_admin (granted)\n${bo}\tBo Chen\tdisabled\t-\n`,
    );
  });
});

describe('grant and revoke', () => {
  beforeEach(async () => {
    await init();
    await addPerson(ada);
    await addPerson(bo);
  });

  test('give and take one role, and leave the others', async () => {
    await done('grant', tenant, ada, 'platform_admin');
    await done('grant', tenant, ada, 'auditor');
    expect(await roles(ada)).toEqual(['auditor granted', 'platform_admin granted']);
    expect(await done('revoke', tenant, ada, 'auditor')).toBe('Done. It counts from the next request.\n');
    expect(await roles(ada)).toEqual(['platform_admin granted']);
  });

  test('say so where nothing would change; a claimed role is not taken', async () => {
    await done('grant', tenant, ada, 'auditor');
    await claim(bo, 'auditor');
    const before = await events();
    for (const args of [
      ['grant', tenant, ada, 'auditor'],
      ['revoke', tenant, bo, 'auditor'],
    ])
      expect(await run(args)).toEqual({ code: 1, out: '', err: 'Nothing would change.\n' });
    expect([await roles(bo), await events()]).toEqual([['auditor claimed'], before]);
  });

  test('keep the last administrator', async () => {
    await done('grant', tenant, ada, 'platform_admin');
    const before = await events();
    expect(await run(['revoke', tenant, ada, 'platform_admin'])).toEqual({
      ...{ code: 1, out: '' },
      err: 'A tenant keeps at least one active platform administrator.\n',
    });
    expect([await roles(ada), await events()]).toEqual([['platform_admin granted'], before]);
  });

  test('keep one of two administrators who are revoked at once', async () => {
    await done('grant', tenant, ada, 'platform_admin');
    await done('grant', tenant, bo, 'platform_admin');
    const both = await Promise.all(
      [ada, bo].map((id) =>
        runCommand(COMMAND, ['revoke', tenant, id, 'platform_admin'], { env: settings() }),
      ),
    );
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect([...(await roles(ada)), ...(await roles(bo))]).toEqual(['platform_admin granted']);
  });

  test('refuse whom the tenant does not know, be it somebody of another one', async () => {
    const other = await initOther();
    for (const args of [
      ['grant', tenant, 'pri_x', 'auditor'],
      ['revoke', other, ada, 'auditor'],
    ])
      expect(await run(args)).toEqual({
        ...{ code: 1, out: '' },
        err: 'Nobody in this tenant has this id. See npm run tenant -- list TENANT.\n',
      });
  });
});

describe('setup-code', () => {
  test('makes a code for one hour, and ends the earlier one', async () => {
    const first = codeIn(await init());
    const out = await done('setup-code', tenant);
    const second = codeIn(out);
    expect(second).not.toBe(first);
    expect(out).toContain(`Open ${ORIGIN}/api/auth/idp/login?code=${second} and sign in.`);
    expect(await codes()).toEqual([
      { hash: sha256(first), minutes: 60, used: true, principalId: null },
      { hash: sha256(second), minutes: 60, used: false, principalId: null },
    ]);
  });

  test('ends no invitation, and no code of another tenant', async () => {
    await init();
    await addPerson(ada);
    await database.inspect(sql`
      insert into sign_in_codes (code_hash, tenant_id, principal_id, created_at, expires_at)
      values (${sha256(tenant)}, ${tenant}, ${ada}, now(), now() + interval '72 hours')`);
    await done('setup-code', await initOther());
    expect((await codes()).map(({ used }) => used)).toEqual([false, false]);
    await done('setup-code', tenant);
    const open = (await codes()).filter(({ used }) => !used);
    expect(open.map(({ principalId }) => principalId)).toEqual([ada, null]);
  });

  test('has 160 random bits, and no table bears it', async () => {
    const code = codeIn(await init());
    expect(Buffer.from(code, 'base64url')).toHaveLength(20);
    const [stored] = await database.inspect<{ everything: string }>(
      sql`select concat((select string_agg(c::text, '') from sign_in_codes c),
                        (select string_agg(e::text, '') from audit_events e)) as everything`,
    );
    expect(stored?.everything).toContain(sha256(code).toString('hex'));
    expect(stored?.everything).not.toContain(code);
    expect(stored?.everything).not.toContain(Buffer.from(code).toString('hex'));
  });

  test('and list refuse a tenant that there is none of', async () => {
    for (const act of ['setup-code', 'list'])
      expect(await run([act, tenant])).toEqual({ code: 1, out: '', err: 'There is no such tenant.\n' });
    expect(await codes()).toEqual([]);
  });
});

describe('issuer', () => {
  test('binds the tenant and its people to another address of their provider', async () => {
    await init();
    await addPerson(ada);
    const url = 'https://moved.idp.test/v2.0';
    expect(await done('issuer', tenant, url)).toBe(`Bound ${tenant} and its people to ${url}\n`);
    const people = await database.inspect<{ issuer: string; subject: string }>(
      sql`select idp_issuer as issuer, idp_subject as subject from principals where tenant_id = ${tenant}`,
    );
    expect(people).toEqual([{ issuer: url, subject: ada }]);
    expect((await events()).at(-1)).toMatchObject({ type: 'tenant_issuer_changed', target: tenant });
  });

  test.each([[['issuer', 'T', 'no-url']], [['issuer', 'T']]])('refuses %j', async (args) => {
    expect((await run(args)).code).toBe(2);
  });
});

test('the trail tells each change, by nobody of the service, and holds', async () => {
  await init();
  await addPerson(ada);
  await addPerson(bo);
  await done('grant', tenant, ada, 'platform_admin');
  await done('grant', tenant, bo, 'platform_admin');
  await done('revoke', tenant, ada, 'platform_admin');
  await done('setup-code', tenant);
  await done('list', tenant);
  const nobody = { principalId: null };
  const details = { role: 'platform_admin', source: 'granted' };
  expect(await events()).toEqual([
    { ...nobody, type: 'tenant_created', target: tenant, details: {} },
    { ...nobody, type: 'setup_code_made', target: null, details: {} },
    { ...nobody, type: 'role_granted', target: ada, details },
    { ...nobody, type: 'role_granted', target: bo, details },
    { ...nobody, type: 'role_revoked', target: ada, details },
    { ...nobody, type: 'setup_code_made', target: null, details: {} },
  ]);
  const tenantId = tenant as TenantId;
  const report = await withTx(database.db, { tenantId, mode: 'read' }, verifyChain);
  expect(report).toMatchObject({ ok: true, count: 6 });
});

describe('the login', () => {
  test('of the service cannot make a tenant', async () => {
    const runtime = { SVC_MIGRATION_DATABASE_URL: '' };
    const { code, out, err } = await run(['init', tenant, '--name', 'Acme'], runtime);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      'The database cannot be changed (42501): see SVC_MIGRATION_DATABASE_URL, and run npm run migrate first.\n',
    );
    expect(await tenants()).toEqual([]);
  });

  test('that cannot be used is named by its setting, without its password', async () => {
    const { code, err } = await run(['list'], NO_DATABASE);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The database cannot be changed \(ECONNREFUSED\): see SVC_MIGRATION_DATABASE_URL[^\n]+\n$/,
    );
    expect(err).not.toContain('a-password');
  });
});

/** Whoever connects to it would end with 1. */
const NO_DATABASE = { SVC_MIGRATION_DATABASE_URL: 'postgres://owner:a-password@127.0.0.1:1/none' };

describe('wrong usage ends with 2 and the usage, before the database is asked', () => {
  test.each([
    ['nothing to do', []],
    ['an unknown act', ['remove', 'acme']],
    ['an act that every object has', ['constructor']],
    ['no tenant', ['init', '--name', 'Acme']],
    ['a tenant id with a blank', ['init', 'ac me', '--name', 'Acme']],
    ['a tenant id that is too long', ['init', 'a'.repeat(65), '--name', 'Acme']],
    ['no name', ['init', 'acme']],
    ['a blank name', ['init', 'acme', '--name', ' ']],
    ['an issuer that is no address', ['init', 'acme', '--name', 'Acme', '--issuer', 'acme']],
    ['an argument too many', ['setup-code', 'acme', 'other']],
    ['no role', ['grant', 'acme', 'pri_a']],
    ['an unknown role', ['grant', 'acme', 'pri_a', 'admin']],
    ['an unknown option', ['list', '--all']],
  ])('%s', async (_, args) => {
    const { code, out, err } = await run(args, NO_DATABASE);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('npm run tenant -- init TENANT --name NAME [--issuer URL]');
    expect(err, 'a stack').not.toMatch(/\n\s+at /);
  });

  test('no issuer', async () => {
    const unset = { ...NO_DATABASE, SVC_IDP_ISSUER: '' };
    const { code, err } = await run(['init', 'acme', '--name', 'Acme'], unset);
    expect([code, err]).toEqual([2, expect.stringContaining('SVC_IDP_ISSUER or SVC_IDP_TENANT_ID')]);
  });

  test('but the usage is told when asked, without any settings', async () => {
    const { code, out, err } = await runCommand(COMMAND, ['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('npm run tenant -- setup-code TENANT');
  });
});
