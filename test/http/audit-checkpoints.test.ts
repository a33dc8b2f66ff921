import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keptCheckpoints } from '../../core/audit/kept-checkpoints.ts';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { verifyExport } from '../../core/audit/verify-export.ts';
import { sql } from '../../core/db/sql.ts';
import { allowRewriting } from '../support/append-only.ts';
import { exportFile, newAuditKey } from '../support/audit-trail.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { runHere } from '../support/run-command.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const { privateKey, publicKey, signer } = newAuditKey();
const SIGNED = { SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY', AUDIT_KEY: privateKey };

const VERIFY = path.resolve(import.meta.dirname, '../../core/commands/audit-verify.ts');

type Checkpoints = {
  items: { number: number; seq: number; at: string; keyId: string }[];
  truncated: boolean;
  signing: string;
  keyId: string | null;
};

let database: TestDatabase;
let service: TestService;
let auditor: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database, SIGNED);
  auditor = await service.signInAs(PERSONA.auditor);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const sign = () => {
  const { db, clock, stopping } = service.runtime();
  return signCheckpoints(db, { signer, clock, signal: stopping });
};
const checkpoints = async (caller = auditor) =>
  (await caller.get<Checkpoints>('/api/audit/checkpoints')).body;
const verify = async () => (await auditor.get<Record<string, unknown>>('/api/audit/verify')).body;

describe('checkpoints', () => {
  test('are for auditors only', async () => {
    for (const principalId of Object.values(PERSONA)) {
      const caller = await service.signInAs(principalId);
      const { status } = await caller.get('/api/audit/checkpoints');
      expect(status, principalId).toBe(principalId === PERSONA.auditor ? 200 : 403);
    }
  });

  test('are listed newest first, with the key that signs, and are what an auditor keeps', async () => {
    await sign();
    await service.signInAs(PERSONA.nobody);
    await sign();
    const body = await checkpoints();
    expect(body).toMatchObject({ truncated: false, signing: 'configured', keyId: signer.keyId });
    expect(body.items.map(({ number }) => number)).toEqual([2, 1]);
    expect(keptCheckpoints(JSON.stringify(body))).toMatchObject([
      { tenantId: DEV, number: 2, seq: body.items[0]?.seq },
      { tenantId: DEV, number: 1, seq: body.items[1]?.seq },
    ]);
    expect(service.logs.join('')).not.toContain(signer.keyId);
  });

  test('of another tenant are not shown', async () => {
    const foreign = await service.signInAs(inOther(PERSONA.auditor));
    await sign();
    const [mine, theirs] = [await checkpoints(), await checkpoints(foreign)];
    expect(theirs.items.map(({ seq }) => seq)).not.toEqual(mine.items.map(({ seq }) => seq));
    expect(keptCheckpoints(JSON.stringify(theirs.items))?.every(({ tenantId }) => tenantId !== DEV)).toBe(
      true,
    );
  });

  test('are the 200 newest; the list says that there are more', async () => {
    for (let more = 0; more < 200; more++) {
      await service.anonymous.post('/api/auth/dev/login', { principalId: PERSONA.nobody });
      await sign();
    }
    const { items, truncated } = await checkpoints();
    expect([items.length, truncated, items[0]?.number]).toEqual([200, true, 202]);
  });
});

describe('signing', () => {
  test.each([
    ['without a key is not configured', {}, 'not_configured'],
    [
      'with a reference that does not resolve is not configured',
      { SVC_AUDIT_SIGNING_KEY_REF: 'NO_KEY' },
      'not_configured',
    ],
    ['with something else than a key says so', { ...SIGNED, AUDIT_KEY: 'not-a-key' }, 'key_unusable'],
  ])('%s', async (_, settings, signing) => {
    await service.reconfigure({ SVC_AUDIT_SIGNING_KEY_REF: '', ...settings });
    expect(await checkpoints()).toMatchObject({ signing, keyId: null });
    expect(await verify()).toMatchObject({ ok: true, signing });
    await service.reconfigure({});
  });

  test('with the key shown as one line is the same', async () => {
    const oneLine = privateKey.replace(/-----[^-]+-----|\n/g, '');
    for (const AUDIT_KEY of [oneLine, privateKey.replaceAll('\n', String.raw`\n`)]) {
      await service.reconfigure({ AUDIT_KEY });
      expect(await checkpoints()).toMatchObject({ signing: 'configured', keyId: signer.keyId });
    }
    await service.reconfigure({});
  });
});

describe('segments of the trail', () => {
  let folder: string;
  /** Two checkpoints, a minute apart, and an event after each. */
  let cuts: [Checkpoints['items'][number], Checkpoints['items'][number]];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'segments-'));
    const cut = async () => {
      await sign();
      const [newest] = (await checkpoints()).items;
      if (newest === undefined) throw new Error('Nothing is signed');
      service.clock.advance(60_000);
      await service.signInAs(PERSONA.nobody);
      return newest;
    };
    cuts = [await cut(), await cut()];
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const exported = (query: Record<string, string | number>) =>
    auditor.get(`/api/exports/audit?${new URLSearchParams(query as Record<string, string>)}`);
  const justAfter = ({ at }: { at: string }) => new Date(Date.parse(at) + 1).toISOString();
  const run = async (...args: string[]) => {
    const { code, out } = await runHere(VERIFY, [...args, '--json'], { cwd: folder });
    return [code, JSON.parse(out)];
  };

  test('are verified offline together with what remains, and each alone', async () => {
    const [first, second] = cuts;
    const ndjson = { format: 'ndjson' };
    const files = {
      'first.ndjson': await exported({ ...ndjson, signedBefore: justAfter(first) }),
      'second.ndjson': await exported({
        ...ndjson,
        afterCheckpoint: first.number,
        signedBefore: justAfter(second),
      }),
      'rest.ndjson': await exported({ ...ndjson, afterCheckpoint: second.number }),
      'kept.json': await auditor.get('/api/audit/checkpoints'),
      'key.pem': { text: publicKey },
    };
    for (const [name, { text }] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const trust = ['--checkpoint', 'kept.json', '--public-key', 'key.pem'];
    const [code, report] = await run('rest.ndjson', 'second.ndjson', 'first.ndjson', ...trust);
    expect([code, report]).toMatchObject([
      0,
      {
        ok: true,
        files: ['first.ndjson', 'second.ndjson', 'rest.ndjson'],
        tenantId: DEV,
        after: null,
        checkpoints: second.number,
      },
    ]);
    expect(report.count).toBe(report.head.seq);
    expect(report.count).toBeGreaterThan(second.seq);

    expect(await run('second.ndjson', '--public-key', 'key.pem')).toMatchObject([
      0,
      {
        after: { number: first.number, seq: first.seq },
        count: second.seq - first.seq,
        head: { seq: second.seq },
        checkpoints: second.number - first.number,
      },
    ]);
    expect(await run('first.ndjson', 'rest.ndjson', ...trust)).toMatchObject([
      1,
      { firstBreak: { file: 'rest.ndjson', line: 1, reason: 'segment_gap' } },
    ]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  test('are audited with their range, and are tables too', async () => {
    const [first, second] = cuts;
    const range = { afterCheckpoint: first.number, signedBefore: justAfter(second) };
    const { text } = await exported({ format: 'csv', ...range });
    const seqs = [...text.matchAll(/^(\d+),/gm)].map(([, seq]) => Number(seq));
    expect([seqs[0], seqs.at(-1)]).toEqual([first.seq + 1, second.seq]);
    const { body } = await auditor.get<{ items: { type: string; details: object }[] }>(
      '/api/audit?category=evidence_access',
    );
    const details = {
      format: 'csv',
      filters: 'afterCheckpoint.signedBefore',
      afterCheckpoint: first.number,
      throughCheckpoint: second.number,
    };
    expect(body.items.slice(0, 2)).toMatchObject([
      { type: 'export_completed', details },
      { type: 'export_started', details },
    ]);
  });

  test('end and begin with checkpoints only', async () => {
    const [first, second] = cuts;
    const [newest] = (await checkpoints()).items;
    const refused: [Record<string, string | number>, string][] = [
      [{ signedBefore: '2020-01-01T00:00:00Z' }, 'No checkpoint after number 0 was signed'],
      [
        { afterCheckpoint: first.number, signedBefore: justAfter(first) },
        `The next was signed at ${second.at}.`,
      ],
      [{ afterCheckpoint: newest?.number ?? 0, signedBefore: '2100-01-01T00:00:00Z' }, 'There is none yet.'],
      [{ afterCheckpoint: 999_999 }, `The newest has number ${newest?.number}.`],
      [{ afterCheckpoint: 0 }, ''],
      [{ afterCheckpoint: '1e2' }, ''],
      [{ signedBefore: 'yesterday' }, ''],
    ];
    for (const [query, said] of refused) {
      const { status, text } = await exported({ format: 'ndjson', ...query });
      expect([status, text], text).toEqual([400, expect.stringContaining(said)]);
      expect(text).toContain('validation_failed');
    }
  });
});

describe('verification', () => {
  test('of the exported trail, offline, agrees with what an auditor kept', async () => {
    await sign();
    const pinned = keptCheckpoints(JSON.stringify(await checkpoints())) ?? [];
    const { status, text } = await auditor.get('/api/exports/audit?format=ndjson');
    const anchors = { trustedKeys: new Set([signer.keyId]), pinned };
    const report = await verifyExport([exportFile(text)], { anchors });
    expect([status, report]).toMatchObject([200, { ok: true, tenantId: DEV }]);
    expect(report.count).toBeGreaterThanOrEqual(pinned[0]?.seq ?? Number.NaN);
  });

  test('tells the last checkpoint', async () => {
    await sign();
    const { items } = await checkpoints();
    expect(await verify()).toMatchObject({
      ok: true,
      checkpoints: items[0]?.number,
      lastCheckpoint: { number: items[0]?.number, seq: items[0]?.seq, keyId: signer.keyId },
      signing: 'configured',
    });
  });

  test('finds a newest checkpoint of another key', async () => {
    await service.reconfigure({ AUDIT_KEY: newAuditKey().privateKey });
    expect(await verify()).toMatchObject({ ok: false, firstBreak: { reason: 'checkpoint_key_unknown' } });
    await service.reconfigure({});
  });

  test('finds a tail that somebody cut in the database, head and all', async () => {
    await sign();
    await allowRewriting(database, 'audit_events');
    await database.inspect(sql`delete from audit_events where tenant_id = ${DEV} and seq > 20`);
    await database.inspect(sql`
      update audit_heads h set seq = 20, hash = e.hash from audit_events e
       where h.tenant_id = ${DEV} and e.tenant_id = ${DEV} and e.seq = 20`);
    // What is appended after the cut does not hide it.
    await service.signInAs(PERSONA.nobody);
    expect(await verify()).toMatchObject({ ok: false });
    expect((await sign()).notAsSigned).toEqual([DEV]);
  });
});
