import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { checkpointRecord, type SignedCheckpoint, signedStatement } from '../../core/audit/checkpoint.ts';
import { newestCheckpoints } from '../../core/audit/checkpoints.sql.ts';
import { auditText } from '../../core/audit/event.ts';
import { auditExportSource } from '../../core/audit/export.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import type { AuditSigner } from '../../core/audit/signing-key.ts';
import { verifyChain } from '../../core/audit/verify-chain.ts';
import { verifyExport } from '../../core/audit/verify-export.ts';
import { sqlState } from '../../core/db/errors.ts';
import { sql } from '../../core/db/sql.ts';
import { withEngineTx, withSigningTx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { allowRewriting } from '../support/append-only.ts';
import { exportFile, exportText, newAuditKey } from '../support/audit-trail.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const TENANT = 'audited' as TenantId;
const OTHER = 'bystander' as TenantId;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const INSUFFICIENT_PRIVILEGE = '42501';
const CHECK_VIOLATION = '23514';

const { signer } = newAuditKey();
const { signal } = new AbortController();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // What follows tampers as nobody could who is not the superuser.
  await allowRewriting(database, 'audit_events');
  await allowRewriting(database, 'audit_checkpoints');
  await database.inspect(sql`
    insert into tenants (tenant_id, name, created_at) values (${TENANT}, 'a', now()), (${OTHER}, 'b', now())`);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.inspect(sql`truncate audit_events, audit_heads, audit_checkpoints`);
});

const write = <T>(tenantId: TenantId, fn: Parameters<typeof withTx<T>>[2]) =>
  withTx(database.db, { tenantId, mode: 'write' }, fn);
const read = <T>(tenantId: TenantId, fn: Parameters<typeof withTx<T>>[2]) =>
  withTx(database.db, { tenantId, mode: 'read' }, fn);

const append = (tenantId: TenantId, count: number) =>
  write(tenantId, (tx) =>
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
const sign = (by: AuditSigner = signer) =>
  signCheckpoints(database.db, { signer: by, clock: () => NOW, signal: new AbortController().signal });
const verify = (trusted: AuditSigner = signer) =>
  read(TENANT, (tx) => verifyChain(tx, new Set([trusted.keyId])));
const checkpoints = (tenantId = TENANT) => read(tenantId, (tx) => newestCheckpoints(tx, 50));
const insert = ({ record, publicKey, signature }: SignedCheckpoint) => sql`
  insert into audit_checkpoints (tenant_id, number, record, public_key, signature)
  values (${TENANT}, (${record}::jsonb ->> 'number')::bigint, ${record}, ${publicKey}, ${signature})`;

describe('signing', () => {
  test('signs the head of every tenant whose chain moved, and of no other', async () => {
    expect(await sign()).toEqual({ signed: 0, notAsSigned: [] });
    await append(TENANT, 3);
    await append(OTHER, 1);
    expect(await sign()).toEqual({ signed: 2, notAsSigned: [] });
    expect(await sign()).toEqual({ signed: 0, notAsSigned: [] });
    await append(TENANT, 2);
    expect(await sign()).toEqual({ signed: 1, notAsSigned: [] });

    const [second, first, ...more] = await checkpoints();
    expect(more).toEqual([]);
    const statements = [first, second].map((one) => one && signedStatement(one));
    expect(statements[0]).toMatchObject({ tenantId: TENANT, number: 1, seq: 3, previous: null });
    expect(statements[1]).toMatchObject({
      number: 2,
      seq: 5,
      at: '2026-01-02T03:04:05.000Z',
      keyId: signer.keyId,
    });
    expect(statements[1]?.previous).toMatch(/^[0-9a-f]{64}$/);
    expect(await checkpoints(OTHER)).toHaveLength(1);
  });

  test('by several processes at once makes one checkpoint', async () => {
    for (let round = 1; round <= 8; round++) {
      await append(TENANT, 3);
      const reports = await Promise.all(Array.from({ length: 6 }, () => sign()));
      expect(reports.reduce((sum, { signed }) => sum + signed, 0)).toBe(1);
      expect(await verify()).toMatchObject({ ok: true, checkpoints: round });
    }
  });

  test('goes on while events are appended', async () => {
    for (let round = 0; round < 5; round++) {
      const [, , report] = await Promise.all([append(TENANT, 3), append(TENANT, 3), sign(), sign()]);
      expect(report.notAsSigned).toEqual([]);
    }
    await sign();
    expect(await verify()).toMatchObject({ ok: true, count: 30, lastCheckpoint: { seq: 30 } });
  });

  test('with a new key signs at once, and its checkpoint vouches for those before', async () => {
    const next = newAuditKey().signer;
    await append(TENANT, 3);
    await sign();
    expect(await verify(next)).toMatchObject({
      ok: false,
      firstBreak: { seq: 3, reason: 'checkpoint_key_unknown' },
    });
    expect(await sign(next)).toMatchObject({ signed: 1 });
    expect(await verify(next)).toMatchObject({
      ok: true,
      checkpoints: 2,
      lastCheckpoint: { seq: 3, number: 2 },
    });
  });

  test('never signs over a chain that is not what was signed', async () => {
    await append(TENANT, 5);
    await append(OTHER, 1);
    await sign();
    await database.inspect(sql`delete from audit_events where tenant_id = ${TENANT} and seq > 2`);
    await database.inspect(sql`
      update audit_heads h set seq = 2, hash = e.hash from audit_events e
       where h.tenant_id = ${TENANT} and e.tenant_id = ${TENANT} and e.seq = 2`);
    await append(OTHER, 1);
    expect(await sign()).toEqual({ signed: 1, notAsSigned: [TENANT] });
    // Grown past the cut, the chain has another event in its place.
    await append(TENANT, 5);
    expect(await sign()).toEqual({ signed: 0, notAsSigned: [TENANT] });
    expect(await verify()).toMatchObject({
      ok: false,
      firstBreak: { seq: 5, reason: 'checkpoint_mismatch' },
    });
  });
});

describe('verification beside checkpoints', () => {
  test('holds for a chain that grew since', async () => {
    await append(TENANT, 3);
    await sign();
    await append(TENANT, 4);
    expect(await verify()).toMatchObject({
      ok: true,
      count: 7,
      checkpoints: 1,
      lastCheckpoint: { number: 1, seq: 3, keyId: signer.keyId },
      firstBreak: null,
    });
  });

  test('finds a tail that was cut together with the recorded head', async () => {
    await append(TENANT, 3);
    await sign();
    await append(TENANT, 3);
    await sign();
    await database.inspect(sql`delete from audit_events where seq > 4`);
    await database.inspect(
      sql`update audit_heads set seq = 4, hash = (select hash from audit_events where seq = 4)`,
    );
    expect(await verify()).toMatchObject({
      ok: false,
      count: 4,
      checkpoints: 1,
      firstBreak: { seq: 5, reason: 'tail_cut' },
    });
  });

  test('finds that the whole trail is gone', async () => {
    await append(TENANT, 3);
    await sign();
    await database.inspect(sql`truncate audit_events, audit_heads`);
    expect(await verify()).toMatchObject({ ok: false, count: 0, firstBreak: { seq: 1, reason: 'tail_cut' } });
  });

  test('finds a past that was rewritten whole: events, hashes, head', async () => {
    await append(TENANT, 6);
    await sign();
    const kept = await database.inspect<SignedCheckpoint>(sql`
      select record, public_key as "publicKey", signature from audit_checkpoints`);
    await database.inspect(sql`truncate audit_events, audit_heads, audit_checkpoints`);
    await append(TENANT, 5);
    await append(TENANT, 2);
    expect(await verify()).toMatchObject({ ok: true, count: 7 });
    for (const checkpoint of kept) await database.inspect(insert(checkpoint));
    expect(await verify()).toMatchObject({
      ok: false,
      firstBreak: { seq: 6, reason: 'checkpoint_mismatch' },
    });
  });

  test('finds a checkpoint that the service did not sign', async () => {
    await append(TENANT, 6);
    await sign();
    const [real] = await checkpoints();
    const statement = real && signedStatement(real);
    if (real === undefined || statement == null) throw new Error('There is none');
    const forger = newAuditKey().signer;
    const by = (record: string, { publicKey, sign: signed }: AuditSigner) => ({
      record,
      publicKey,
      signature: signed(record),
    });
    const theirs = checkpointRecord({ ...statement, keyId: forger.keyId });
    for (const [forged, reason] of [
      [
        { ...real, signature: real.signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) },
        'checkpoint_forged',
      ],
      [by(real.record, forger), 'checkpoint_forged'],
      [by(theirs, forger), 'checkpoint_key_unknown'],
      [by(checkpointRecord({ ...statement, number: 2 }), signer), 'checkpoint_gap'],
      [by(checkpointRecord({ ...statement, previous: 'a'.repeat(64) }), signer), 'checkpoint_gap'],
    ] as const) {
      await database.inspect(sql`truncate audit_checkpoints`);
      await database.inspect(insert(forged));
      expect(await verify(), reason).toMatchObject({ ok: false, firstBreak: { seq: 6, reason } });
    }
  });

  test('finds a checkpoint that was removed between others', async () => {
    for (let round = 0; round < 3; round++) {
      await append(TENANT, 2);
      await sign();
    }
    await database.inspect(sql`delete from audit_checkpoints where number = 2`);
    expect(await verify()).toMatchObject({ ok: false, firstBreak: { seq: 6, reason: 'checkpoint_gap' } });
  });
});

describe('an export', () => {
  test('of a chain with checkpoints holds, in one transaction or in many', async () => {
    await append(TENANT, 1_500);
    await sign();
    await append(TENANT, 1_000);
    await sign();
    await append(OTHER, 3);
    const byMany = await exportText(await auditExportSource((fn) => read(TENANT, fn)));
    const byOne = await read(TENANT, async (tx) => exportText(await auditExportSource((fn) => fn(tx))));
    expect(byMany).toBe(byOne);
    expect(await verifyExport([exportFile(byOne)])).toMatchObject({
      ok: true,
      tenantId: TENANT,
      count: 2_500,
      checkpoints: 2,
    });
  });

  test('holds what there was when it began, whatever is appended and signed meanwhile', async () => {
    await append(TENANT, 1_200);
    await sign();
    const source = await auditExportSource((fn) => read(TENANT, fn));
    await append(TENANT, 1_200);
    await sign();
    expect(await verifyExport([exportFile(await exportText(source))])).toMatchObject({
      ok: true,
      count: 1_200,
      checkpoints: 1,
    });
  });

  test('in segments joins, also where an event is signed again after the cut', async () => {
    await append(TENANT, 1_200);
    await sign();
    const [cut = null] = await checkpoints();
    const segment = (after: typeof cut, through: typeof cut) =>
      auditExportSource((fn) => read(TENANT, fn), { after, through }).then(exportText);
    const first = await segment(null, cut);
    const next = newAuditKey().signer;
    await sign(next);
    await append(TENANT, 1_200);
    await sign(next);
    await append(TENANT, 1);
    const rest = await segment(cut, null);
    expect(await verifyExport([exportFile(rest), exportFile(first)])).toMatchObject({
      ok: true,
      count: 2_401,
      checkpoints: 3,
    });
    expect(await segment(null, cut)).toBe(first);
  });

  test('of a tenant without events holds', async () => {
    const text = await exportText(await auditExportSource((fn) => read(TENANT, fn)));
    expect(await verifyExport([exportFile(text)])).toMatchObject({ ok: true, count: 0 });
  });

  test('of a chain that goes on behind its recorded head shows it', async () => {
    await append(TENANT, 4);
    await database.inspect(sql`
      update audit_heads set seq = 2, hash = (select hash from audit_events where seq = 2)`);
    const text = await exportText(await auditExportSource((fn) => read(TENANT, fn)));
    expect(await verifyExport([exportFile(text)])).toMatchObject({
      count: 4,
      firstBreak: { reason: 'head_mismatch' },
    });
  });

  test('of a chain whose tail was cut shows it', async () => {
    await append(TENANT, 4);
    await sign();
    await database.inspect(sql`delete from audit_events where seq > 2`);
    await database.inspect(
      sql`update audit_heads set seq = 2, hash = (select hash from audit_events where seq = 2)`,
    );
    const text = await exportText(await auditExportSource((fn) => read(TENANT, fn)));
    expect(await verifyExport([exportFile(text)])).toMatchObject({
      ok: false,
      firstBreak: { reason: 'tail_cut' },
    });
  });
});

describe('what is stored of checkpoints', () => {
  test('neither the service nor the engine changes or removes', async () => {
    await append(TENANT, 1);
    await sign();
    const statements = [
      sql`update audit_checkpoints set signature = ''`,
      sql`delete from audit_checkpoints`,
      sql`truncate audit_checkpoints`,
    ];
    for (const statement of statements) {
      const attempts = [
        () => write(TENANT, (tx) => tx.execute(statement)),
        () => withEngineTx(database.db, (tx) => tx.execute(statement)),
      ];
      for (const attempt of attempts) {
        expect(await attempt().then(() => 'allowed', sqlState), statement.text).toBe(INSUFFICIENT_PRIVILEGE);
      }
    }
    expect(await verify()).toMatchObject({ ok: true, checkpoints: 1 });
  });

  test('the engine reads where they stand and no more, and stores none', async () => {
    await append(TENANT, 1);
    await sign();
    const [signed] = await checkpoints();
    if (signed === undefined) throw new Error('There is none');
    for (const statement of [
      sql`select record from audit_checkpoints`,
      sql`select hash from audit_heads`,
      insert(signed),
    ]) {
      const state = await withEngineTx(database.db, (tx) => tx.query(statement)).then(
        () => 'allowed',
        sqlState,
      );
      expect(state, statement.text).toBe(INSUFFICIENT_PRIVILEGE);
    }
  });

  test('is of the tenant whose it is, and of the one form', async () => {
    await append(TENANT, 1);
    await append(OTHER, 1);
    await sign();
    const [foreign] = await checkpoints(OTHER);
    if (foreign === undefined) throw new Error('There is none');
    for (const record of [
      foreign.record,
      foreign.record.replace('{', '{ '),
      foreign.record.replace('audit_checkpoint', 'other'),
    ]) {
      const attempt = withSigningTx(database.db, { tenantId: TENANT, signal }, (tx) =>
        tx.execute(insert({ ...foreign, record })),
      );
      expect(await attempt.then(() => 'allowed', sqlState), record).toBe(CHECK_VIOLATION);
    }
  });
});
