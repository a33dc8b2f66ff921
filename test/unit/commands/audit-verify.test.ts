import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shownCheckpoint } from '../../../core/audit/checkpoint.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import {
  checkpointsOf,
  eventChain,
  exportSource,
  exportText,
  newAuditKey,
  segmentTexts,
} from '../../support/audit-trail.ts';
import { runCommand, runHere } from '../../support/run-command.ts';

const COMMAND = path.resolve(import.meta.dirname, '../../../core/commands/audit-verify.ts');
const TENANT = 'tenant-1' as TenantId;
const key = newAuditKey();
const events = eventChain(TENANT, 30);
const checkpoints = checkpointsOf(events, [10, 25], key.signer);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'audit-verify-'));
  const foreign = eventChain('tenant-2' as TenantId, 3);
  const answer = {
    items: checkpoints.map(shownCheckpoint).reverse(),
    truncated: false,
    signing: 'configured',
  };
  const whole = await exportText(exportSource(TENANT, events, checkpoints));
  const [first = '', second = '', rest = ''] = await segmentTexts(TENANT, events, checkpoints, [1, 2]);
  const files = {
    'first.ndjson': first,
    'second.ndjson': second,
    'rest.ndjson': rest,
    'whole.ndjson': whole,
    'changed.ndjson': whole.replace('"n":7,', '"n":8,'),
    'cut.ndjson': await exportText(exportSource(TENANT, events.slice(0, 12), checkpoints.slice(0, 1))),
    'kept.json': JSON.stringify(answer),
    'kept-foreign.json': JSON.stringify(checkpointsOf(foreign, [2], key.signer)),
    'kept-forged.json': JSON.stringify({ ...checkpoints[0], signature: checkpoints[1]?.signature }),
    'key.pem': key.publicKey,
    'other-key.pem': newAuditKey().publicKey,
    'private.pem': key.privateKey,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command as somebody runs it who has nothing but the file: no configuration at all. */
const run = (...args: string[]) => runHere(COMMAND, args, { cwd: folder });

describe('the command', () => {
  test('says what it found and what it could not know, and ends with 0', async () => {
    const { code, out, err } = await runCommand(COMMAND, ['whole.ndjson'], { cwd: folder });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('The export holds.');
    expect(out).toContain('events       30');
    expect(out).toContain(key.signer.keyId);
    expect(out).toContain('Nothing from outside of the files was given');
    expect(out).toContain('Of the last 5 events');
  });

  test('agrees with checkpoints and keys that were kept elsewhere', async () => {
    const { code, out } = await run('whole.ndjson', '--checkpoint', 'kept.json', '--public-key', 'key.pem');
    expect([code, out]).toEqual([0, expect.stringContaining('every checkpoint that you kept (2)')]);
  });

  test('verifies segments in any order, and says what it cannot say of some of them', async () => {
    const all = await run('rest.ndjson', 'first.ndjson', 'second.ndjson', '--checkpoint', 'kept.json');
    expect([all.code, all.err]).toEqual([0, '']);
    expect(all.out).toContain('files        first.ndjson, second.ndjson, rest.ndjson');
    expect(all.out).toContain('events       30');
    expect(all.out).toContain('every checkpoint that you kept (2)');

    const one = await run('second.ndjson', '--public-key', 'key.pem');
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('events       15') });
    expect(one.out).toContain('begins       after event 10, checkpoint 1');
    expect(one.out).toContain('The 10 events before it were not checked');

    const later = await run('rest.ndjson', '--checkpoint', 'kept.json');
    expect(later).toMatchObject({ code: 0, out: expect.stringContaining('1 sign events before it') });
    expect(later.out).toContain('agrees with the others (1)');
  });

  test.each([
    [
      'a segment that is missing',
      ['first.ndjson', 'rest.ndjson'],
      'rest.ndjson, line 1, event 11: segment_gap',
    ],
    ['segments that overlap', ['whole.ndjson', 'cut.ndjson'], 'segment_overlap'],
    ['a change', ['changed.ndjson'], 'changed.ndjson, line 8, event 7: hash_mismatch'],
    ['a tail that is cut', ['cut.ndjson', '--checkpoint', 'kept.json'], 'event 13: tail_cut'],
    ['a key that nobody knows', ['whole.ndjson', '--public-key', 'other-key.pem'], 'checkpoint_key_unknown'],
  ])('finds %s, and ends with 1', async (_, args, said) => {
    const { code, out } = await run(...args);
    expect([code, out]).toEqual([1, expect.stringContaining(said)]);
    expect(out).toContain('does NOT hold');
  });

  test('says on a cut file that holds by itself that only a kept checkpoint would tell', async () => {
    const { code, out } = await run('cut.ndjson', '--public-key', 'key.pem');
    expect([code, out]).toEqual([0, expect.stringContaining('only checkpoints that you kept')]);
  });

  test('prints one JSON object where asked', async () => {
    const holds = await run('whole.ndjson', '--json');
    expect([holds.code, JSON.parse(holds.out)]).toMatchObject([0, { ok: true, count: 30, checkpoints: 2 }]);
    const breaks = await run('--json', 'changed.ndjson');
    expect([breaks.code, JSON.parse(breaks.out)]).toMatchObject([
      1,
      { ok: false, count: 6, firstBreak: { line: 8, seq: 7, reason: 'hash_mismatch' } },
    ]);
  });

  test.each([
    ['no file', []],
    ['a file that is not there', ['missing.ndjson']],
    ['a folder', ['.']],
    ['an unknown option', ['whole.ndjson', '--what']],
    ['a checkpoint of another tenant', ['whole.ndjson', '--checkpoint', 'kept-foreign.json']],
    ['a checkpoint with a wrong signature', ['whole.ndjson', '--checkpoint', 'kept-forged.json']],
    ['a checkpoint file that is none', ['whole.ndjson', '--checkpoint', 'whole.ndjson']],
    ['a key that is private', ['whole.ndjson', '--public-key', 'private.pem']],
  ])('cannot check with %s, says so and ends with 2', async (_, args) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err.trim()).not.toBe('');
    expect(err, 'a stack').not.toMatch(/\n\s+at /);
  });
});
