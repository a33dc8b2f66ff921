import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkpointRecord, type SignedCheckpoint, signedStatement } from '../../../core/audit/checkpoint.ts';
import { keyIdOf } from '../../../core/audit/signing-key.ts';
import { verifyExport } from '../../../core/audit/verify-export.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import {
  checkpointsOf,
  eventChain,
  exportFile,
  exportSource,
  exportText,
  newAuditKey,
} from '../../support/audit-trail.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const TENANT = 'tenant-1' as TenantId;
const EVENTS = 12;
const { signer } = newAuditKey();
const events = eventChain(TENANT, EVENTS);
const checkpoints = checkpointsOf(events, [1, 4, 4, 11], signer);
const honest = await exportText(exportSource(TENANT, events, checkpoints));
const lines = honest.trimEnd().split('\n');
const ofLines = (some: readonly string[]) => some.map((line) => `${line}\n`).join('');

const verify = (file: string | Uint8Array, size?: number) => verifyExport([exportFile(file, 'file', size)]);
const pinnedBy = (kept: readonly SignedCheckpoint[]) => ({
  anchors: {
    trustedKeys: new Set<string>(),
    pinned: kept.map(signedStatement).filter((statement) => statement !== null),
  },
});

describe('an honest export', () => {
  test('holds, however it is cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), async (size) => {
        expect(await verify(honest, size)).toMatchObject({
          ok: true,
          tenantId: TENANT,
          count: EVENTS,
          head: { seq: EVENTS, hash: events.at(-1)?.hash },
          checkpoints: 4,
          firstBreak: null,
        });
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  test('holds whatever its length and wherever its checkpoints', async () => {
    const places = fc.array(fc.integer({ min: 1, max: EVENTS }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.nat(EVENTS), places, async (count, some) => {
        const signed = some.filter((seq) => seq <= count).sort((a, b) => a - b);
        const kept = events.slice(0, count);
        const source = exportSource(TENANT, kept, checkpointsOf(kept, signed, signer));
        const report = await verify(await exportText(source));
        expect(report).toMatchObject({ ok: true, count, checkpoints: signed.length });
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  test('reports its newest checkpoints first', async () => {
    const { newestCheckpoints } = await verify(honest);
    expect(newestCheckpoints.map(({ number, seq }) => [number, seq])).toEqual([
      [4, 11],
      [3, 4],
      [2, 4],
      [1, 1],
    ]);
  });
});

describe('tampering with the file is found', () => {
  test('any change, removal or insertion of one byte', async () => {
    const bytes = Buffer.from(honest);
    const edit = fc.record({
      at: fc.nat(bytes.length - 1),
      removed: fc.nat(1),
      inserted: fc.oneof(
        fc.constant<number[]>([]),
        fc.integer({ min: 0, max: 255 }).map((byte) => [byte]),
      ),
    });
    await fc.assert(
      fc.asyncProperty(edit, async ({ at, removed, inserted }) => {
        const edited = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(inserted),
          bytes.subarray(at + removed),
        ]);
        fc.pre(!edited.equals(bytes));
        expect(await verify(edited)).toMatchObject({ ok: false });
      }),
      { numRuns: propertyRuns(1_500) },
    );
  });

  test('any line removed, repeated or moved, and any end cut off', async () => {
    const place = fc.nat(lines.length - 1);
    await fc.assert(
      fc.asyncProperty(place, place, async (a, b) => {
        const without = lines.toSpliced(a, 1);
        const moved = without.toSpliced(b, 0, lines[a] ?? '');
        const files = [without, lines.toSpliced(b, 0, lines[a] ?? ''), lines.slice(0, a)];
        if (a !== b) files.push(moved);
        for (const file of files)
          expect(await verify(ofLines(file)), `${a} ${b}`).toMatchObject({ ok: false });
        const byte = Math.floor((honest.length * (a + 1)) / (lines.length + 1));
        expect(await verify(honest.slice(0, byte))).toMatchObject({ ok: false });
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  test('a line of another tenant', async () => {
    const foreign = eventChain('tenant-2' as TenantId, EVENTS);
    const source = exportSource(TENANT, foreign, []);
    expect((await verify(await exportText(source))).firstBreak).toMatchObject({
      line: 2,
      seq: 1,
      reason: 'wrong_tenant',
    });
  });
});

describe('a trail that was made again, whole in itself', () => {
  const cut = (count: number) => {
    const kept = events.slice(0, count);
    return exportText(
      exportSource(
        TENANT,
        kept,
        checkpoints.filter(({ seq }) => seq <= count),
      ),
    );
  };

  test('without its tail is found by a checkpoint that was kept elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 10 }), async (count) => {
        const file = await cut(count);
        expect(await verify(file)).toMatchObject({ ok: true, count });
        const report = await verifyExport([exportFile(file)], pinnedBy(checkpoints));
        expect(report.firstBreak).toMatchObject({ seq: count + 1, reason: 'tail_cut' });
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  test('with another past is found by one too', async () => {
    const forged = eventChain(TENANT, EVENTS, 1);
    const file = await exportText(exportSource(TENANT, forged, []));
    expect(await verify(file)).toMatchObject({ ok: true });
    const report = await verifyExport([exportFile(file)], pinnedBy(checkpoints.slice(1, 2)));
    expect(report.firstBreak).toMatchObject({ seq: 4, reason: 'checkpoint_mismatch' });
  });

  test('with checkpoints of a key of its own is found by the public key', async () => {
    const forger = newAuditKey().signer;
    const file = await exportText(exportSource(TENANT, events, checkpointsOf(events, [5, 12], forger)));
    const anchors = { trustedKeys: new Set([signer.keyId]), pinned: [] };
    expect((await verifyExport([exportFile(file)], { anchors })).firstBreak).toMatchObject({
      seq: 12,
      reason: 'checkpoint_key_unknown',
    });
  });

  test('without any checkpoint is found by the public key', async () => {
    const file = await exportText(exportSource(TENANT, events, []));
    const anchors = { trustedKeys: new Set([signer.keyId]), pinned: [] };
    expect((await verifyExport([exportFile(file)], { anchors })).firstBreak).toMatchObject({
      seq: EVENTS,
      reason: 'checkpoint_key_unknown',
    });
  });

  test('is none when the key was changed: the newest vouches for all before it', async () => {
    const next = newAuditKey().signer;
    const signed = checkpointsOf(events, [5, 12], (number) => (number === 1 ? signer : next));
    const file = await exportText(exportSource(TENANT, events, signed));
    const anchors = { trustedKeys: new Set([next.keyId]), pinned: [] };
    expect(await verifyExport([exportFile(file)], { anchors })).toMatchObject({ ok: true, checkpoints: 2 });
  });
});

test('two kept checkpoints that contradict each other hold for no file', async () => {
  const forged = checkpointsOf(eventChain(TENANT, EVENTS, 1), [4], signer);
  for (const kept of [
    [...checkpoints, ...forged],
    [...forged, ...checkpoints],
  ]) {
    expect((await verifyExport([exportFile(honest)], pinnedBy(kept))).firstBreak).toMatchObject({
      seq: 4,
      reason: 'checkpoint_mismatch',
    });
  }
});

describe('a checkpoint', () => {
  const replaced = (change: (line: string) => string) =>
    ofLines(lines.map((line) => (line.startsWith('{"checkpoint"') ? change(line) : line)));

  test('whose signature is of another text is forged', async () => {
    const file = replaced((line) => line.replace('"at":"20', '"at":"21'));
    expect((await verify(file)).firstBreak).toMatchObject({ line: 3, seq: 1, reason: 'checkpoint_forged' });
  });

  test('that names another key than the one beside it is forged', async () => {
    const other = newAuditKey().signer;
    const swapped = replaced((line) => line.replace(signer.publicKey, other.publicKey));
    expect((await verify(swapped)).firstBreak).toMatchObject({ reason: 'checkpoint_forged' });
  });

  test('holds in one spelling only', () => {
    const [signed] = checkpoints;
    if (signed === undefined) throw new Error('There is none');
    expect(signedStatement(signed)).toMatchObject({ seq: 1, number: 1, previous: null });
    for (const signature of [`${signed.signature}=`, ` ${signed.signature}`, signed.signature.slice(1)]) {
      expect(signedStatement({ ...signed, signature })).toBeNull();
    }
    expect(signedStatement({ ...signed, record: `${signed.record} ` })).toBeNull();
  });

  test.each(['2026-02-30T00:00:00.000Z', '2026-99-01T00:00:00.000Z', '2026-01-01'])(
    'of no time that there is, %s, states nothing, whoever signed it',
    (at) => {
      const record = checkpointRecord({
        at,
        hash: 'a'.repeat(64),
        keyId: signer.keyId,
        number: 1,
        previous: null,
        seq: 1,
        tenantId: TENANT,
      });
      const { publicKey } = signer;
      expect(signedStatement({ record, publicKey, signature: signer.sign(record) })).toBeNull();
    },
  );

  test('of a key that is no point, or of no length, states nothing', () => {
    const [signed] = checkpoints;
    if (signed === undefined) throw new Error('There is none');
    for (const publicKey of ['', 'A'.repeat(42), '_'.repeat(43)]) {
      const record = signed.record.replace(signer.keyId, keyIdOf(publicKey));
      expect(signedStatement({ ...signed, record, publicKey })).toBeNull();
    }
  });
});

describe('a file that is something else', () => {
  test.each([
    ['nothing', ''],
    ['a line feed', '\n'],
    ['JSON', '{"items":[]}\n'],
    ['no text', Buffer.from([0xff, 0xfe, 10])],
    ['an export of another version', honest.replace('"version":1', '"version":2')],
    ['one line without end', 'x'.repeat(3_000_000)],
  ])('is no export: %s', async (_, file) => {
    expect(await verify(file)).toMatchObject({
      ok: false,
      tenantId: null,
      firstBreak: { line: 1, reason: 'malformed_header' },
    });
  });

  test.each([
    ['JSON of another kind', '{"a":1}'],
    ['an empty line', ''],
    ['half a line', (lines[5] ?? '').slice(0, 100)],
  ])('breaks at the line that is no line: %s', async (_, line) => {
    const file = ofLines(lines.toSpliced(5, 0, line));
    expect((await verify(file)).firstBreak).toMatchObject({ line: 6, reason: 'malformed_line' });
  });

  test('a line too long for memory breaks where it begins', async () => {
    const file = `${ofLines(lines.slice(0, 3))}{"hash":"${'a'.repeat(3_000_000)}`;
    expect((await verify(file)).firstBreak).toMatchObject({ line: 4, reason: 'malformed_line' });
  });
});
