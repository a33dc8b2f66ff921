import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LabelWriter } from '../../../../core/connectors/label-writer.ts';
import { createGraphLabelWriter } from '../../../../core/connectors/m365/graph-label-writer.ts';
import { clientOf, connectorOf } from '../../../support/graph/connect.ts';
import type { Fault } from '../../../support/graph/faults.ts';
import type { FakeLibrary, GraphFake } from '../../../support/graph/graph-fake.ts';
import { guidOf } from '../../../support/graph/ids.ts';
import { APP, smallFake } from '../../../support/graph/small-tenant.ts';
import type { Label, Lock } from '../../../support/graph/state.ts';

const label = (name: string, priority: number, hasProtection = false): Label => ({
  ...{ id: guidOf(`label/${name}`), name, priority, hasProtection, sublabels: [] },
});
const [PUBLIC, INTERNAL, SECRET] = [label('Public', 0), label('Internal', 1), label('Secret', 2, true)];
const never = new AbortController().signal;
const justification = 'It holds invoices.';

let fake: GraphFake;
let library: FakeLibrary;
let writer: LabelWriter;
let id: string;
beforeEach(async () => {
  fake = await smallFake({}, {}, { labels: [PUBLIC, INTERNAL, SECRET] });
  library = fake.library('Finance');
  writer = createGraphLabelWriter(clientOf(fake, APP.clientId, { writesLabels: true }));
  id = library.add('Plan.docx', 'Plan');
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await fake.close();
});

const target = () => ({ scopeExternalId: library.id, externalId: id });
const read = () => connectorOf(fake, APP.clientId).getLabel(library.id, id, never);
async function versionNow(): Promise<string> {
  const item = await connectorOf(fake, APP.clientId).getItem(library.id, id, never);
  if (item === null || item === 'denied') throw new Error('The item was not read');
  return item.sourceVersion;
}
const write = async (labelGuid: string | null, ifSourceVersion?: string) =>
  writer.writeLabel(
    { ...target(), ifSourceVersion: ifSourceVersion ?? (await versionNow()) },
    { labelGuid, justification },
    never,
  );
const writes = () => fake.callsOf('label_assign').length;
async function monitorOf(labelGuid: string | null): Promise<string> {
  const written = await write(labelGuid);
  if (written.state !== 'accepted' || written.monitor === null) throw new Error('The write was not accepted');
  return written.monitor;
}

describe('a label writer of Microsoft 365', () => {
  test('assigns a label, whose monitor is pending and then completed', async () => {
    const monitor = await monitorOf(INTERNAL.id);
    expect(await read()).toEqual({ state: 'unlabeled' });
    const seen = [];
    for (let n = 0; n < 3; n++) seen.push((await writer.outcomeOf(monitor, never)).state);
    expect(seen).toEqual(['pending', 'pending', 'completed']);
    expect(await read()).toMatchObject({ state: 'labeled', labelGuid: INTERNAL.id });
    // As a person chooses it.
    expect(library.drive.items.get(id)?.label?.method).toBe('privileged');
  });

  test('is verified by our label, and not by that of another organization', async () => {
    library.labelElsewhere(id, INTERNAL.id, guidOf('tenant/other'));
    expect(await read()).toMatchObject({ state: 'unlabeled' });
    const monitor = await monitorOf(INTERNAL.id);
    for (let n = 0; n < 3; n++) await writer.outcomeOf(monitor, never);
    expect(await read()).toMatchObject({ state: 'labeled', labelGuid: INTERNAL.id });
  });

  test('weakens and removes a label, with the justification', async () => {
    library.label(id, INTERNAL.id);
    for (const labelGuid of [PUBLIC.id, null]) {
      const monitor = await monitorOf(labelGuid);
      for (let n = 0; n < 3; n++) await writer.outcomeOf(monitor, never);
    }
    expect(await read()).toEqual({ state: 'unlabeled' });
  });

  test('writes nothing to another version or to an item that is gone', async () => {
    const version = await versionNow();
    library.edit(id, 'Another plan');
    expect(await write(INTERNAL.id, version)).toEqual({ state: 'changed' });
    library.remove(id);
    expect(await write(INTERNAL.id, version)).toEqual({ state: 'gone' });
    expect(writes()).toBe(0);
  });

  test('tells beforehand of a file that is checked out or of another type', async () => {
    expect(await writer.preventionOf(target(), never)).toBeNull();
    library.lock(id, 'checkedOut');
    expect(await writer.preventionOf(target(), never)).toBe('file_checked_out');
    expect(await write(INTERNAL.id)).toEqual({ state: 'refused', reason: 'file_checked_out' });
    id = library.add('Plan.txt', 'Plan');
    expect(await writer.preventionOf(target(), never)).toBe('file_type_not_supported');
    expect(await write(INTERNAL.id)).toEqual({ state: 'refused', reason: 'file_type_not_supported' });
    // The call is metered.
    expect(writes()).toBe(0);
  });

  test.each<[Lock, string, boolean]>([
    ['fileDoubleKeyEncrypted', 'file_encrypted', true],
    ['fileDecryptionNotSupported', 'file_encrypted', true],
    ['fileDecryptionDeferred', 'file_in_decryption', true],
    ['openForEditing', 'file_locked', false],
  ])('tells of a file that is %s: %s', async (lock, reason, known) => {
    library.lock(id, lock);
    expect(await writer.preventionOf(target(), never)).toBe(known ? reason : null);
    expect(await write(INTERNAL.id)).toEqual({ state: 'refused', reason });
  });

  test('tells of a file that is checked out just before the write', async () => {
    fake.fail({
      on: 'label_assign',
      fault: { kind: 'error', status: 423, code: 'accessDenied', innerCode: 'resourceLocked' },
    });
    const version = await versionNow();
    const checksOut = clientOf(fake, APP.clientId, { writesLabels: true });
    writer = createGraphLabelWriter({
      ...checksOut,
      call: async (name, values, options) => {
        if (name === 'label_assign') library.lock(id, 'checkedOut');
        return checksOut.call(name, values, options);
      },
    });
    expect(await write(INTERNAL.id, version)).toEqual({ state: 'refused', reason: 'file_checked_out' });
  });

  test('tells of an application that nobody pays for, and of a label that protects', async () => {
    library.label(id, SECRET.id);
    expect(await write(null)).toEqual({ state: 'refused', reason: 'label_needs_person' });
    expect(await write(guidOf('no label'))).toEqual({ state: 'refused', reason: 'label_not_available' });
    fake.app(APP.clientId).metered = false;
    expect(await write(null)).toEqual({ state: 'refused', reason: 'metered_api_off' });
  });

  test.each<[string, Fault]>([
    ['write_identity_refused', { kind: 'error', status: 403, code: 'accessDenied' }],
    ['write_identity_refused', { kind: 'error', status: 401, code: 'unauthenticated' }],
    ['file_type_not_supported', { kind: 'error', status: 415, code: 'notSupported' }],
    ['license_missing', { kind: 'error', status: 403, code: 'accessDenied', innerCode: 'licenseRequired' }],
    ['license_missing', { kind: 'error', status: 402, code: 'paymentRequired', innerCode: 'licenseMissing' }],
    ['justification_needed', { kind: 'error', status: 400, code: 'justificationRequired' }],
    ['file_encrypted', { kind: 'error', status: 423, code: 'fileDoubleKeyEncrypted' }],
  ])('tells of %s', async (reason, fault) => {
    fake.fail({ on: 'label_assign', fault, times: 2 });
    expect(await write(INTERNAL.id)).toEqual({ state: 'refused', reason });
  });

  test('an identity without permission is told before a write', async () => {
    fake.app(APP.clientId).permissions = [];
    expect(await writer.preventionOf(target(), never)).toBe('write_identity_refused');
    expect(await write(INTERNAL.id, 'any')).toEqual({ state: 'refused', reason: 'write_identity_refused' });
  });

  test('throws what passes, and what it does not know', async () => {
    const version = await versionNow();
    const fails = async (fault: Fault, times: number) => {
      fake.fail({ on: 'label_assign', fault, times });
      return write(INTERNAL.id, version).catch(({ retryClass, safeDiagnostic }) => [
        retryClass,
        safeDiagnostic,
      ]);
    };
    expect(await fails({ kind: 'error', status: 400, code: 'invalidRequest' }, 1)).toEqual([
      'permanent',
      'graph_label_assign_400',
    ]);
    // It may have been written, so it is not repeated.
    expect(await fails({ kind: 'reset' }, 1)).toEqual(['transient', 'graph_label_assign_unreachable']);
    expect(writes()).toBe(2);
    expect(await fails({ kind: 'throttle', retryAfter: 120 }, 1)).toEqual([
      'throttled',
      'throttled_retries_exhausted',
    ]);
  });
});

describe('a monitor', () => {
  test('that fails tells why, as far as it does', async () => {
    fake.failLabels(1);
    const monitor = await monitorOf(INTERNAL.id);
    for (let n = 0; n < 2; n++) await writer.outcomeOf(monitor, never);
    expect(await writer.outcomeOf(monitor, never)).toEqual({
      state: 'failed',
      reason: 'write_failed_at_source',
    });
  });

  test.each([401, 403, 404, 410])('that answers %s has nothing to tell', async (status) => {
    const monitor = await monitorOf(INTERNAL.id);
    fake.fail({ on: 'monitor', fault: { kind: 'error', status, code: 'itemNotFound' }, times: 2 });
    expect(await writer.outcomeOf(monitor, never)).toEqual({ state: 'unknown' });
  });

  test('at another host is not asked', async () => {
    expect(await writer.outcomeOf('https://elsewhere.example/monitor?tempAuth=x', never)).toEqual({
      state: 'unknown',
    });
    expect(fake.callsOf('monitor')).toEqual([]);
  });

  test('that asks to wait longer is left for later', async () => {
    const monitor = await monitorOf(INTERNAL.id);
    fake.fail({ on: 'monitor', fault: { kind: 'throttle', retryAfter: 90 } });
    await expect(writer.outcomeOf(monitor, never)).rejects.toMatchObject({
      retryClass: 'throttled',
      retryAfterMs: 90_000,
    });
    expect(await writer.outcomeOf(monitor, never)).toEqual({ state: 'pending' });
  });
});
