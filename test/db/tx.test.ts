import { DatabaseError, type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseProblem, violatedConstraint } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { lookup, type Tx, withEngineTx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
const one = 'one' as TenantId;
const two = 'two' as TenantId;

beforeAll(async () => {
  database = await createTestDatabase();
  const admin = sql`create table things (tenant_id text not null, name text not null, n bigint not null default 0,
    constraint things_once unique (tenant_id, name))`;
  await database.inspect(admin);
  await database.inspect(sql`alter table things enable row level security`);
  await database.inspect(sql`create policy tenant on things to svc_app
    using (tenant_id = current_setting('svc.tenant_id', true))
    with check (tenant_id = current_setting('svc.tenant_id', true))`);
  await database.inspect(sql`grant select, insert, update on things to svc_app`);
});
afterAll(() => database?.drop());

const write = <T>(fn: (tx: Tx) => Promise<T>, tenantId = one) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);
const names = (tenantId: TenantId) =>
  withTx(database.db, { tenantId, mode: 'read' }, async (tx) =>
    (await tx.query<{ name: string }>(sql`select name from things order by name`)).map((row) => row.name),
  );
const insert = (tenantId: TenantId, name: string) =>
  sql`insert into things (tenant_id, name) values (${tenantId}, ${name})`;

describe('a transaction of a tenant', () => {
  test('sees its own rows only and writes no others', async () => {
    await write((tx) => tx.execute(insert(one, 'mine')));
    await write((tx) => tx.execute(insert(two, 'theirs')), two);
    expect(await names(one)).toEqual(['mine']);
    expect(await names(two)).toEqual(['theirs']);
    await expect(write((tx) => tx.execute(insert(two, 'smuggled')))).rejects.toThrow(/row-level security/);
  });

  test('acts as svc_app, for that transaction alone', async () => {
    const who = sql`select current_user as user, current_setting('svc.tenant_id', true) as tenant`;
    expect(await write((tx) => tx.query(who))).toEqual([{ user: 'svc_app', tenant: 'one' }]);
    expect(await lookup(database.db, who)).toEqual({ user: 'test_runtime', tenant: '' });
  });

  test('refuses a tenant id that could be anything else', async () => {
    for (const id of ["x'; drop table things; --", '', 'a'.repeat(65), 'a\n']) {
      await expect(write((tx) => tx.query(sql`select 1`), id as TenantId)).rejects.toThrow('Not a tenant id');
    }
  });

  test('reads in one snapshot and cannot write', async () => {
    const seen = await withTx(database.db, { tenantId: one, mode: 'read' }, async (tx) => {
      const before = await tx.query(sql`select name from things`);
      await write((other) => other.execute(insert(one, 'meanwhile')));
      return [before.length, (await tx.query(sql`select name from things`)).length];
    });
    expect(seen[0]).toBe(seen[1]);
    await expect(
      withTx(database.db, { tenantId: one, mode: 'read' }, (tx) => tx.execute(insert(one, 'no'))),
    ).rejects.toThrow(/read-only/);
  });

  test('rolls back when the work rejects, and gives its connection back', async () => {
    for (let i = 0; i < 20; i++) {
      await expect(
        write(async (tx) => {
          await tx.execute(insert(one, 'undone'));
          throw new Error('on second thoughts');
        }),
      ).rejects.toThrow('on second thoughts');
    }
    expect(await names(one)).not.toContain('undone');
    expect(database.db.pool.idleCount).toBe(database.db.pool.totalCount);
  });

  test('does not pretend to have committed after an ignored failure', async () => {
    await expect(
      write(async (tx) => {
        await tx.execute(insert(one, 'lost'));
        await tx.query(sql`select 1 / 0`).catch(() => undefined);
      }),
    ).rejects.toThrow(/was ignored/);
    expect(await names(one)).not.toContain('lost');
  });

  test('statements behind a failed one fail with its error', async () => {
    const division = write(async (tx) => {
      tx.query(sql`select 1 / 0`).catch(() => undefined);
      await tx.query(sql`select 1`);
    });
    await expect(division).rejects.toThrow('division by zero');
    const twice = write(async (tx) => {
      await tx.execute(insert(one, 'twice'));
      tx.execute(insert(one, 'twice')).catch(() => undefined);
      await tx.query(sql`no statement`).catch(() => undefined);
      await tx.query(sql`select 1`);
    });
    expect(violatedConstraint(await twice.catch((error: unknown) => error))).toBe('things_once');
  });

  test('runs statements one at a time and none once it is over', async () => {
    let kept: Tx | undefined;
    const rows = await write((tx) => {
      kept = tx;
      return Promise.all([1, 2, 3].map((n) => tx.query<{ n: number }>(sql`select ${n}::int as n`)));
    });
    expect(rows.flat()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await expect(kept?.query(sql`select 1`)).rejects.toThrow('The transaction has ended');
  });

  test('tells the constraint that was violated', async () => {
    const twice = write(async (tx) => {
      await tx.execute(insert(one, 'twice'));
      await tx.execute(insert(one, 'twice'));
    });
    expect(violatedConstraint(await twice.catch((error: unknown) => error))).toBe('things_once');
  });

  test('gives bigint as a number, or an error before a digit is lost', async () => {
    expect(await write((tx) => tx.query(sql`select 9007199254740991::bigint as n`))).toEqual([
      { n: Number.MAX_SAFE_INTEGER },
    ]);
    await expect(write((tx) => tx.query(sql`select 9007199254740993::bigint as n`))).rejects.toThrow(
      RangeError,
    );
    expect(await lookup(database.db, sql`select 1 as ok`)).toEqual({ ok: 1 });
  });

  test('ends between statements when its signal does', async () => {
    const stop = new AbortController();
    const work = withTx(database.db, { tenantId: one, mode: 'write', signal: stop.signal }, async (tx) => {
      await tx.execute(insert(one, 'aborted'));
      stop.abort();
      await tx.query(sql`select 1`);
    });
    await expect(work).rejects.toThrow(/aborted/);
    expect(await names(one)).not.toContain('aborted');
  });
});

describe('failures', () => {
  test('a deadlock is resolved by running the loser again', async () => {
    await write(async (tx) => {
      await tx.execute(insert(one, 'left'));
      await tx.execute(insert(one, 'right'));
    });
    let runs = 0;
    let arrived = 0;
    let bothHold: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const touch = (tx: Tx, name: string) => tx.execute(sql`update things set n = n + 1 where name = ${name}`);
    const cross = (first: string, second: string) =>
      write(async (tx) => {
        runs++;
        await touch(tx, first);
        if (++arrived === 2) bothHold();
        await both;
        await touch(tx, second);
      });
    await Promise.all([cross('left', 'right'), cross('right', 'left')]);
    expect(runs).toBe(3);
    const counts = await database.inspect<{ n: string }>(
      sql`select n from things where name in ('left', 'right')`,
    );
    expect(counts.map((row) => Number(row.n))).toEqual([2, 2]);
  });

  test('gives up after four runs', async () => {
    let runs = 0;
    await expect(
      write(async (tx) => {
        runs++;
        await tx.query(
          sql`do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`,
        );
      }),
    ).rejects.toThrow('again');
    expect(runs).toBe(4);
  });

  test('a failure is retried though a statement behind it is told first', async () => {
    let runs = 0;
    const again = sql`do $$ begin raise exception 'again' using errcode = 'deadlock_detected'; end $$`;
    const done = await write(async (tx) => {
      const failing = ++runs === 1 ? tx.query(again) : Promise.resolve();
      const behind = tx.query(sql`select 1`);
      const toldLater = failing.catch(async (error) => {
        await behind.catch(() => undefined);
        throw error;
      });
      await Promise.all([toldLater, behind]);
      return 'done';
    });
    expect([done, runs]).toEqual(['done', 2]);
  });

  test('a connection that dies fails its transaction, never the process, and is replaced', async () => {
    await expect(
      write(async (tx) => {
        const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
        await database.inspect(sql`select pg_terminate_backend(${row?.pid ?? 0})`);
        await tx.query(sql`select 1`);
      }),
    ).rejects.toThrow();
    await database.inspect(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'test_runtime' and datname = current_database()`,
    );
    // Each was notified.
    await expect.poll(() => database.db.pool.totalCount).toBe(0);
    expect(await names(two)).toEqual(['theirs']);
  });
});

test('a statement after the last words of a server fails like the connection', async () => {
  const lastWords = new DatabaseError('terminating connection due to administrator command', 0, 'error');
  const inUse: PoolClient[] = [];
  database.db.pool.once('acquire', (client) => inUse.push(client));
  const failed = write(async (tx) => {
    await tx.query(sql`select 1`);
    inUse[0]?.connection.emit('errorMessage', lastWords);
    await tx.query(sql`select 1`);
  });
  await expect(failed).rejects.toSatisfy((error) => databaseProblem(error) === 'database_away');
});

test('the engine acts as svc_engine without a tenant', async () => {
  const rows = await withEngineTx(database.db, (tx) => tx.query(sql`select current_user as user`));
  expect(rows).toEqual([{ user: 'svc_engine' }]);
  await expect(withEngineTx(database.db, (tx) => tx.query(sql`select * from things`))).rejects.toThrow(
    /permission denied/,
  );
});

describe('the runtime', () => {
  test('may do nothing as itself, and cannot rise above its roles', async () => {
    await expect(lookup(database.db, sql`select * from tenants`)).rejects.toThrow(/permission denied/);
    await expect(lookup(database.db, sql`set role svc_audit`)).rejects.toThrow(/permission denied/);
    await expect(lookup(database.db, sql`create table mine (n int)`)).rejects.toThrow(/permission denied/);
    const rights = await database.inspect(
      sql`select rolname from pg_roles where (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)
           and rolname in ('test_runtime', 'svc_app', 'svc_engine', 'svc_audit')`,
    );
    expect(rights).toEqual([]);
  });
});
