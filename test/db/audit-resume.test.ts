import { hash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { checkpointRecord } from '../../core/audit/checkpoint.ts';
import { auditText } from '../../core/audit/event.ts';
import { resumeTrail } from '../../core/audit/resume-trail.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { withClient } from '../../core/db/client.ts';
import { sqlState } from '../../core/db/errors.ts';
import { type Statement, sql } from '../../core/db/sql.ts';
import { withEngineTx, withProvisioningTx, withSigningTx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { allowRewriting } from '../support/append-only.ts';
import { newAuditKey } from '../support/audit-trail.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runCommand, runHere } from '../support/run-command.ts';

const COMMAND = path.resolve(import.meta.dirname, '../../core/commands/audit-resume.ts');
const TENANT = 'audited' as TenantId;
const OTHER = 'bystander' as TenantId;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const INSUFFICIENT_PRIVILEGE = '42501';
const RESTRICT_VIOLATION = '23001';

const { signer, privateKey } = newAuditKey();
const trustedKeys = new Set([signer.keyId]);
const signal = new AbortController().signal;
let database: TestDatabase;

/** Makes the tables of the trail writable for a superuser, and takes that back. */
const tampering = async (tamper: () => Promise<unknown>) => {
  for (const table of ['audit_events', 'audit_checkpoints'] as const) await allowRewriting(database, table);
  await tamper();
  for (const table of ['audit_events', 'audit_checkpoints'])
    await database.inspect(
      sql`alter table ${sql.ident(table)} enable trigger ${sql.ident(`${table}_append_only`)}`,
    );
};

beforeAll(async () => {
  database = await createTestDatabase();
  await database.inspect(sql`
    insert into tenants (tenant_id, name, created_at) values (${TENANT}, 'a', now()), (${OTHER}, 'b', now())`);
});
afterAll(() => database.drop());

/** Six events, of which the first four are signed by two checkpoints. */
beforeEach(async () => {
  await tampering(async () => {
    await database.inspect(sql`truncate audit_events, audit_heads, audit_checkpoints`);
    await database.inspect(sql`alter table audit_set_aside disable trigger audit_set_aside_append_only`);
    await database.inspect(sql`truncate audit_set_aside`);
    await database.inspect(sql`alter table audit_set_aside enable trigger audit_set_aside_append_only`);
  });
  for (const isSigned of [true, true, false]) {
    for (const tenantId of [TENANT, OTHER]) await append(2, tenantId);
    if (isSigned) await sign();
  }
});

const append = (count: number, tenantId = TENANT) =>
  withTx(database.db, { tenantId, mode: 'write' }, (tx) =>
    appendAudit(
      tx,
      Array.from({ length: count }, (_, n) =>
        auditText(
          { tenantId, principalId: null, correlationId: `cor-${n}`, now: NOW },
          { category: 'scan', type: 'thing_done', details: { n } },
        ),
      ),
    ),
  );
const sign = () => signCheckpoints(database.db, { signer, clock: () => NOW, signal });
const verify = (tenantId = TENANT) =>
  withTx(database.db, { tenantId, mode: 'read' }, (tx) => verifyChain(tx, trustedKeys));
const resume = () =>
  withProvisioningTx(database.owner, TENANT, (tx) =>
    resumeTrail(tx, { signer, trustedKeys, clock: () => NOW }),
  );
const stored = async () => {
  const rows = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${TENANT} union all
    select record from audit_checkpoints where tenant_id = ${TENANT} union all
    select record from audit_set_aside where tenant_id = ${TENANT}`);
  return rows.map(({ record }) => record);
};

/** A checkpoint that nobody signed. */
const forged = (number: number, seq: number): Statement => {
  const record = checkpointRecord({
    at: new Date(NOW).toISOString(),
    hash: 'f'.repeat(64),
    keyId: signer.keyId,
    number,
    previous: null,
    seq,
    tenantId: TENANT,
  });
  return sql`
    insert into audit_checkpoints (tenant_id, number, record, public_key, signature)
    values (${TENANT}, ${number}, ${record}, ${signer.publicKey}, ${'A'.repeat(86)})`;
};

describe('a checkpoint', () => {
  test('is stored by the signer alone', async () => {
    const forge = forged(3, 6);
    const refused = [
      () => withTx(database.db, { tenantId: TENANT, mode: 'write' }, (tx) => tx.query(forge)),
      () => withEngineTx(database.db, (tx) => tx.query(forge)),
      () => withProvisioningTx(database.owner, TENANT, (tx) => tx.query(forge)),
      () => withSigningTx(database.db, { tenantId: OTHER, signal }, (tx) => tx.query(forge)),
    ];
    for (const attempt of refused) expect(await attempt().catch(sqlState)).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await sign()).toEqual({ signed: 2, notAsSigned: [] });
  });

  test.each([
    ['changes no checkpoint', sql`update audit_checkpoints set signature = signature`],
    ['removes no checkpoint', sql`delete from audit_checkpoints`],
    [
      'appends no event',
      sql`insert into audit_events (tenant_id, seq, record, hash) values (${TENANT}, 9, '{}', '')`,
    ],
    ['moves no head', sql`update audit_heads set seq = 9`],
    ['calls no function that appends', sql`select audit_append('{}')`],
    ['reads nothing that was set aside', sql`select record from audit_set_aside`],
  ])('whose signer %s', async (_, statement) => {
    const attempt = withSigningTx(database.db, { tenantId: TENANT, signal }, (tx) => tx.query(statement));
    expect(await attempt.catch(sqlState)).toBe(INSUFFICIENT_PRIVILEGE);
  });
});

const inspect = (...statements: Statement[]) =>
  tampering(async () => {
    for (const statement of statements) await database.inspect(statement);
  });

/** Writes the events from `from` on again, with a changed content and hashes that fit. */
async function rewrite(from: number): Promise<void> {
  const rows = await database.inspect<{ seq: number; record: string; hash: string }>(sql`
    select seq::int as seq, record, hash from audit_events where tenant_id = ${TENANT} order by seq`);
  let previous = rows.find(({ seq }) => seq === from - 1)?.hash ?? '0'.repeat(64);
  for (const { seq, record } of rows) {
    if (seq < from) continue;
    const changed = record
      .replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${previous}"`)
      .replace('thing_done', 'thing_undone');
    previous = hash('sha256', changed);
    await inspect(sql`
      update audit_events set record = ${changed}, hash = ${previous} where tenant_id = ${TENANT} and seq = ${seq}`);
  }
  await inspect(sql`update audit_heads set hash = ${previous} where tenant_id = ${TENANT}`);
}

describe('a trail that was tampered with is resumed', () => {
  const ofTenant = sql`tenant_id = ${TENANT}`;
  test.each<[string, () => Promise<unknown>, { reason: string; events: number; checkpoints: number }]>([
    [
      'by a forged checkpoint: all events stay',
      () => inspect(forged(3, 6)),
      { reason: 'checkpoint_forged', events: 6, checkpoints: 2 },
    ],
    [
      'by forged checkpoints with the numbers to come',
      () => inspect(forged(3, 5), forged(4, 900)),
      { reason: 'checkpoint_forged', events: 6, checkpoints: 2 },
    ],
    [
      'by a head that lags: all events stay',
      () =>
        inspect(sql`
          update audit_heads set seq = 2, hash = e.hash from audit_events e
           where audit_heads.tenant_id = ${TENANT} and e.tenant_id = ${TENANT} and e.seq = 2`),
      { reason: 'head_mismatch', events: 6, checkpoints: 2 },
    ],
    [
      'by an invented event and hash at the end',
      () =>
        inspect(
          sql`insert into audit_events (tenant_id, seq, record, hash)
              select tenant_id, 7, replace(record, '"seq":6', '"seq":7'), ${'e'.repeat(64)} from audit_events
               where ${ofTenant} and seq = 6`,
          sql`update audit_heads set seq = 7, hash = ${'e'.repeat(64)} where ${ofTenant}`,
        ),
      { reason: 'hash_mismatch', events: 6, checkpoints: 2 },
    ],
    [
      'by a changed event that was signed',
      () =>
        inspect(
          sql`update audit_events set record = replace(record, 'done', 'gone') where ${ofTenant} and seq = 3`,
        ),
      { reason: 'hash_mismatch', events: 2, checkpoints: 1 },
    ],
    [
      'by a past written again: what the checkpoint before signs stays',
      () => rewrite(3),
      { reason: 'checkpoint_mismatch', events: 2, checkpoints: 1 },
    ],
    [
      'by a cut end, with the head',
      () =>
        inspect(
          sql`delete from audit_events where ${ofTenant} and seq > 3`,
          sql`update audit_heads set seq = 3, hash = e.hash from audit_events e
               where audit_heads.tenant_id = ${TENANT} and e.tenant_id = ${TENANT} and e.seq = 3`,
        ),
      { reason: 'tail_cut', events: 2, checkpoints: 1 },
    ],
    [
      'by a removed checkpoint',
      () => inspect(sql`delete from audit_checkpoints where ${ofTenant} and number = 1`),
      { reason: 'checkpoint_gap', events: 6, checkpoints: 0 },
    ],
    [
      'by a removed head',
      () => inspect(sql`delete from audit_heads where ${ofTenant}`),
      { reason: 'head_mismatch', events: 6, checkpoints: 2 },
    ],
  ])('%s', async (_, tamper, held) => {
    await tamper();
    const before = await stored();
    const resumed = await resume();
    expect({
      reason: resumed?.reason,
      events: resumed?.head.seq,
      checkpoints: resumed?.checkpoint?.number ?? 0,
    }).toEqual(held);
    // An event tells it, a checkpoint signs that event, and the trail holds from the first event on.
    expect(await verify()).toMatchObject({
      ok: true,
      count: held.events + 1,
      checkpoints: held.checkpoints + 1,
      lastCheckpoint: { seq: held.events + 1, keyId: signer.keyId },
    });
    const [event] = await database.inspect<{ record: string }>(sql`
      select record from audit_events where ${ofTenant} order by seq desc limit 1`);
    expect(JSON.parse(event?.record ?? '')).toMatchObject({
      event: {
        category: 'config',
        type: 'audit_trail_resumed',
        target: { kind: 'tenant', id: TENANT },
        details: {
          reason: held.reason,
          heldEvents: held.events,
          heldCheckpoints: held.checkpoints,
          eventsSetAside: resumed?.setAside.events,
          checkpointsSetAside: resumed?.setAside.checkpoints,
          setAsideDigest: resumed?.setAside.digest,
        },
      },
    });
    // Nothing is lost.
    expect(await stored()).toEqual(expect.arrayContaining(before));
    expect(await stored()).toHaveLength(before.length + 2);
    // Events are written and signed again.
    await append(2);
    expect((await sign()).notAsSigned).toEqual([]);
    expect(await verify()).toMatchObject({ ok: true, count: held.events + 3 });
    expect(await verify(OTHER)).toMatchObject({ ok: true, count: 6 });
  });

  test('and protected as before', async () => {
    await inspect(forged(3, 6));
    await resume();
    const protections = await database.inspect<{ name: string }>(sql`
      select c.relname as name from pg_class c
        left join pg_trigger t on t.tgrelid = c.oid and t.tgname = c.relname || '_append_only' and t.tgenabled = 'O'
       where c.relname in ('audit_events', 'audit_checkpoints', 'audit_set_aside')
         and (t.oid is null or not c.relrowsecurity or not c.relforcerowsecurity)`);
    expect(protections).toEqual([]);
    await withClient(database.adminUrl, async (admin) => {
      for (const act of ['delete from', 'update', 'truncate']) {
        const set = act === 'update' ? ' set record = record' : '';
        const attempt = admin.query(`${act} audit_set_aside${set}`);
        expect(await attempt.then(() => 'allowed', sqlState)).toBe(RESTRICT_VIOLATION);
      }
    });
  });
});

test('a trail that holds is left as it is', async () => {
  const before = await stored();
  expect(await resume()).toBeNull();
  expect(await stored()).toEqual(before);
});

test('a trail that grows meanwhile is resumed too', async () => {
  await inspect(forged(3, 6));
  const appends = Array.from({ length: 8 }, () => append(1));
  await Promise.all([resume(), ...appends]);
  await sign();
  expect(await verify()).toMatchObject({ ok: true, count: 15 });
});

describe('npm run audit:resume', () => {
  const settings = () => ({
    SVC_ENV: 'development',
    SVC_DATABASE_URL: database.url,
    SVC_MIGRATION_DATABASE_URL: database.ownerUrl,
    SVC_AUDIT_SIGNING_KEY_REF: 'KEY',
    KEY: privateKey,
  });
  const run = (args: readonly string[], changes: Record<string, string> = {}) =>
    runHere(COMMAND, args, { env: { ...settings(), ...changes } });

  test('tells what does not hold, and resumes the trail if it is told to', async () => {
    await inspect(forged(3, 5));
    expect((await sign()).notAsSigned).toEqual([TENANT]);
    expect(await runCommand(COMMAND, [TENANT], { env: settings() })).toMatchObject({
      code: 1,
      out: expect.stringContaining('checkpoint_forged.\nHeld: events to 6 of 6, checkpoints to 2 of 3.'),
    });
    expect((await sign()).notAsSigned).toEqual([TENANT]);
    expect(await run([TENANT, '--apply'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Set aside: 0 events, 1 checkpoints.'),
    });
    expect((await sign()).notAsSigned).toEqual([]);
    expect(await verify()).toMatchObject({ ok: true, count: 7 });
    expect(await run([TENANT])).toMatchObject({ code: 0, out: 'The trail holds up to event 7.\n' });
  });

  test('refuses without a key, without a tenant, and as the runtime login', async () => {
    expect(await run([TENANT, '--apply'], { KEY: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('SVC_AUDIT_SIGNING_KEY_REF'),
    });
    expect(await run([])).toMatchObject({ code: 2, err: expect.stringContaining('Name one tenant.') });
    expect(await run([TENANT, '--apply'], { SVC_MIGRATION_DATABASE_URL: database.url })).toMatchObject({
      code: 1,
      err: expect.stringContaining(INSUFFICIENT_PRIVILEGE),
    });
  });
});
