import canonicalize from 'canonicalize';
import fc from 'fast-check';
import type { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AuditGroup, appendAudit } from '../../core/audit/append.sql.ts';
import { type AuditEntry, auditText } from '../../core/audit/event.ts';
import { type ChainReport, verifyChain } from '../../core/audit/verify-chain.ts';
import { withClient } from '../../core/db/client.ts';
import { sqlState } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx, withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { allowRewriting } from '../support/append-only.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';

const TENANT = 'audited' as TenantId;
const OTHER = 'bystander' as TenantId;
const INSUFFICIENT_PRIVILEGE = '42501';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await allowRewriting(database, 'audit_events');
  await database.inspect(sql`
    insert into tenants (tenant_id, name, created_at) values (${TENANT}, 'a', now()), (${OTHER}, 'b', now())`);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.inspect(sql`truncate audit_events, audit_heads`);
});

const source = (tenantId: TenantId, n: number) => ({
  tenantId,
  principalId: `pri_${n}` as PrincipalId,
  correlationId: `cor-${n}`,
  now: 1_700_000_000_000 + n,
});
const entry = (n: number): AuditEntry => ({
  category: n % 2 === 0 ? 'auth' : 'scan',
  type: 'thing_done',
  target: { kind: 'thing', id: `thing_${n}` },
  details: { n, half: n / 2, even: n % 2 === 0, word: 'plain' },
});

const append = (tenantId: TenantId, ...numbers: number[]) =>
  withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    appendAudit(
      tx,
      numbers.map((n) => auditText(source(tenantId, n), entry(n))),
    ),
  );
const verify = (tenantId: TenantId = TENANT): Promise<ChainReport> =>
  withTx(database.db, { tenantId, mode: 'read' }, verifyChain);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the chain', () => {
  test('is empty and holds before the first event', async () => {
    expect(await verify()).toEqual({
      ok: true,
      count: 0,
      head: { seq: 0, hash: '0'.repeat(64) },
      checkpoints: 0,
      lastCheckpoint: null,
      firstBreak: null,
    });
  });

  test('grows by each event, per tenant', async () => {
    await append(TENANT, 1, 2);
    await append(OTHER, 1);
    await append(TENANT, 3);
    const [mine, theirs] = [await verify(), await verify(OTHER)];
    expect(mine).toMatchObject({ ok: true, count: 3, head: { seq: 3 } });
    expect(theirs).toMatchObject({ ok: true, count: 1, head: { seq: 1 } });
    expect(mine.head.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test('keeps its order over more than one page', async () => {
    await append(TENANT, ...numbers(2_500));
    expect(await verify()).toMatchObject({ ok: true, count: 2_500, head: { seq: 2_500 } });
  });

  test('keeps every event of concurrent writers, grouped or in a change', async () => {
    const group = new AuditGroup(database.db);
    await Promise.all(
      numbers(60).map((n) =>
        n % 3 === 0 ? group.append(source(TENANT, n), entry(n)) : append(TENANT, n, n + 1_000),
      ),
    );
    expect(await verify()).toMatchObject({ ok: true, count: 20 + 2 * 40 });
    const rows = await database.inspect<{ n: string }>(
      sql`select record::jsonb #>> '{event,details,n}' as n from audit_events`,
    );
    expect(new Set(rows.map((row) => row.n)).size).toBe(100);
  });

  test('has no event of a change that was rolled back, and no gap where it was', async () => {
    await append(TENANT, 1);
    const failed = withTx(database.db, { tenantId: TENANT, mode: 'write' }, async (tx) => {
      await appendAudit(tx, [auditText(source(TENANT, 2), entry(2))]);
      throw new Error('the change fails');
    });
    await expect(failed).rejects.toThrow('the change fails');
    await append(TENANT, 3);
    expect(await verify()).toMatchObject({ ok: true, count: 2, head: { seq: 2 } });
  });

  test('holds details that are not plain identifiers redacted', async () => {
    const text = auditText(source(TENANT, 1), {
      ...entry(1),
      details: { file: 'Payroll of Jane Doe.xlsx', count: 2, none: null },
      target: { kind: 'asset', id: '/home/jane doe' },
    });
    expect(JSON.parse(text)).toMatchObject({
      details: { file: '[redacted]', count: 2, none: null },
      target: { id: '[redacted]' },
    });
  });
});

test('an event is canonical JSON whatever its details', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const details = fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,12}$/), value);
  fc.assert(
    fc.property(details, (given) => {
      const text = auditText(source(TENANT, 1), { ...entry(1), details: given });
      expect(canonicalize(JSON.parse(text))).toBe(text);
    }),
  );
});

describe('group commit', () => {
  test('shares transactions between events that wait', async () => {
    const group = new AuditGroup(database.db);
    await Promise.all(numbers(500).map((n) => group.append(source(TENANT, n), entry(n))));
    const [row] = await database.inspect<{ commits: number }>(
      sql`select count(distinct xmin::text)::int as commits from audit_events`,
    );
    expect(row?.commits).toBeLessThanOrEqual(4);
    expect(await verify()).toMatchObject({ ok: true, count: 500 });
  });

  test('resolves once the event is stored', async () => {
    const group = new AuditGroup(database.db);
    await group.append(source(TENANT, 1), entry(1));
    expect(await verify()).toMatchObject({ count: 1 });
  });

  test('tells every caller whose event was not stored, and goes on', async () => {
    const group = new AuditGroup(database.db);
    const unknown = 'no-such-tenant' as TenantId;
    const results = await Promise.allSettled([
      group.append(source(unknown, 1), entry(1)),
      group.append(source(unknown, 2), entry(2)),
      group.append(source(TENANT, 3), entry(3)),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await group.append(source(TENANT, 4), entry(4));
    expect(await verify()).toMatchObject({ ok: true, count: 2 });
  });

  test('refuses rather than fill the memory', async () => {
    const group = new AuditGroup(database.db);
    const results = await Promise.allSettled(
      numbers(10_002).map((n) => group.append(source(TENANT, n), entry(n))),
    );
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
    expect(await verify()).toMatchObject({ ok: true, count: 10_001 });
  });
});

describe('the runtime', () => {
  const statements = [
    sql`insert into audit_events (tenant_id, seq, record, hash) values (${TENANT}, 9, '{"event":{"category":"auth"}}', '')`,
    sql`update audit_events set hash = ''`,
    sql`delete from audit_events`,
    sql`truncate audit_events`,
    sql`update audit_heads set seq = 0`,
    sql`delete from audit_heads`,
    sql`insert into audit_heads (tenant_id, seq, hash) values (${TENANT}, 0, '')`,
    sql`alter table audit_events disable row level security`,
    sql`set local role svc_audit`,
  ];

  test('can append and read, and cannot change or remove what is there', async () => {
    await append(TENANT, 1);
    for (const statement of statements) {
      const asApp = () =>
        withTx(database.db, { tenantId: TENANT, mode: 'write' }, (tx) => tx.execute(statement));
      const asEngine = () => withEngineTx(database.db, (tx) => tx.execute(statement));
      for (const attempt of [asApp, asEngine]) {
        const state = await attempt().then(() => 'allowed', sqlState);
        expect(state, statement.text).toBe(INSUFFICIENT_PRIVILEGE);
      }
    }
    expect(await verify()).toMatchObject({ ok: true, count: 1 });
  });

  test('cannot append to the chain of another tenant', async () => {
    await append(TENANT, 1);
    const text = auditText(source(TENANT, 2), entry(2));
    // An event could never be taken back, so one that names another tenant than its chain is refused.
    await expect(
      withTx(database.db, { tenantId: OTHER, mode: 'write' }, (tx) => appendAudit(tx, [text])),
    ).rejects.toThrow('an audit event of another tenant');
    expect(await verify(TENANT)).toMatchObject({ ok: true, count: 1 });
    expect(await verify(OTHER)).toMatchObject({ ok: true, count: 0 });
  });
});

describe('tampering by somebody who may do anything in the database', () => {
  const EVENTS = 12;
  const seq = fc.integer({ min: 1, max: EVENTS });

  /** Statements of the tampering; each is one change of what is stored. */
  const tampering = fc.oneof(
    // A character of the record, with and without a hash that fits.
    fc
      .record({
        seq,
        at: fc.nat(2_000),
        char: fc.constantFrom('0', '1', 'x', ' ', 'é'),
        rehash: fc.boolean(),
      })
      .map(({ seq, at, char, rehash }) => ({
        what: `character ${at} of ${seq} becomes ${char}`,
        apply: (client: Client) =>
          client.query(
            `with edited as (select overlay(record placing $2 from 1 + ($3::int % length(record)) for 1) as record
                               from audit_events where tenant_id = '${TENANT}' and seq = $1)
             update audit_events a set record = e.record,
                    hash = case when $4 then encode(sha256(convert_to(e.record, 'UTF8')), 'hex') else a.hash end
               from edited e where a.tenant_id = '${TENANT}' and a.seq = $1 and a.record <> e.record`,
            [seq, char, at, rehash],
          ),
      })),
    fc.record({ seq, rehash: fc.boolean() }).map(({ seq, rehash }) => ({
      what: `white space in ${seq}`,
      apply: (client: Client) =>
        client.query(
          `update audit_events set record = record || ' ',
                  hash = case when $2 then encode(sha256(convert_to(record || ' ', 'UTF8')), 'hex') else hash end
            where tenant_id = '${TENANT}' and seq = $1`,
          [seq, rehash],
        ),
    })),
    fc.record({ seq, at: fc.nat(63), char: fc.constantFrom('0', 'f', 'A') }).map(({ seq, at, char }) => ({
      what: `digit ${at} of the hash of ${seq}`,
      apply: (client: Client) =>
        client.query(
          `update audit_events set hash = overlay(hash placing $2 from $3 for 1)
            where tenant_id = '${TENANT}' and seq = $1 and hash <> overlay(hash placing $2 from $3 for 1)`,
          [seq, char, at + 1],
        ),
    })),
    fc.record({ seq, to: fc.integer({ min: EVENTS + 1, max: 40 }) }).map(({ seq, to }) => ({
      what: `${seq} becomes number ${to}`,
      apply: (client: Client) =>
        client.query(`update audit_events set seq = $2 where tenant_id = '${TENANT}' and seq = $1`, [
          seq,
          to,
        ]),
    })),
    seq.map((seq) => ({
      what: `${seq} goes to another tenant`,
      apply: (client: Client) =>
        client.query(
          `update audit_events set tenant_id = '${OTHER}' where tenant_id = '${TENANT}' and seq = $1`,
          [seq],
        ),
    })),
    seq.map((seq) => ({
      what: `${seq} is removed`,
      apply: (client: Client) =>
        client.query(`delete from audit_events where tenant_id = '${TENANT}' and seq = $1`, [seq]),
    })),
    seq.map((seq) => ({
      what: `${seq} is repeated at the end`,
      apply: (client: Client) =>
        client.query(
          `insert into audit_events (tenant_id, seq, record, hash)
           select tenant_id, ${EVENTS + 1}, record, hash from audit_events where tenant_id = '${TENANT}' and seq = $1`,
          [seq],
        ),
    })),
    seq.map((seq) => ({
      what: `one is inserted after ${seq}`,
      apply: async (client: Client) => {
        await client.query(
          `update audit_events set seq = seq + 100 where tenant_id = '${TENANT}' and seq > $1`,
          [seq],
        );
        await client.query(
          `update audit_events set seq = seq - 99 where tenant_id = '${TENANT}' and seq > 100`,
        );
        return client.query(
          `insert into audit_events (tenant_id, seq, record, hash)
           select tenant_id, $1 + 1, record, hash from audit_events where tenant_id = '${TENANT}' and seq = $1`,
          [seq],
        );
      },
    })),
    fc.uniqueArray(seq, { minLength: 2, maxLength: 2 }).map(([a, b]) => ({
      what: `${a} and ${b} change places`,
      apply: async (client: Client) => {
        const move = (from: number | undefined, to: number | undefined) =>
          client.query(`update audit_events set seq = $2 where tenant_id = '${TENANT}' and seq = $1`, [
            from,
            to,
          ]);
        await move(a, 99);
        await move(b, a);
        return move(99, b);
      },
    })),
    fc
      .constantFrom(
        `update audit_heads set seq = seq - 1`,
        `update audit_heads set seq = seq + 1`,
        `update audit_heads set hash = repeat('0', 64)`,
        `delete from audit_heads`,
      )
      .map((statement) => ({
        what: statement,
        apply: (client: Client) => client.query(`${statement} where tenant_id = '${TENANT}'`),
      })),
  );

  test('any single change, removal, insertion or exchange is found', async () => {
    await append(TENANT, ...numbers(EVENTS));
    await withClient(database.adminUrl, async (client) => {
      await client.query(`create table kept_events as select tenant_id, seq, record, hash from audit_events;
                          create table kept_heads as select * from audit_heads`);
      const numRuns = propertyRuns(150);
      let effective = 0;
      const changed = async (apply: (client: Client) => Promise<{ rowCount: number | null }>) => {
        try {
          return ((await apply(client)).rowCount ?? 0) > 0;
        } catch (error) {
          // What is no JSON, or has no known category, cannot be stored in the first place.
          if (['22P02', '23514', '23502', '22P05'].includes(sqlState(error) ?? '')) return false;
          throw error;
        }
      };
      await fc.assert(
        fc.asyncProperty(tampering, async ({ what, apply }) => {
          if (!(await changed(apply))) return;
          effective++;
          const report = await verify();
          await client.query(`truncate audit_events, audit_heads;
            insert into audit_events (tenant_id, seq, record, hash) select * from kept_events;
            insert into audit_heads select * from kept_heads`);
          expect(report, what).toMatchObject({ ok: false });
          expect(report.firstBreak, what).not.toBeNull();
        }),
        { numRuns },
      );
      expect(effective).toBeGreaterThan(numRuns / 2);
      expect(await verify()).toMatchObject({ ok: true, count: EVENTS });
    });
  });
});
