import { expect, test } from 'vitest';
import { createFixtureConnector } from '../../../infra/local/fixture/fixture-connector.ts';
import { memoryFixtureStore } from '../../support/memory-fixture-store.ts';

const scope = { externalId: 'site-1', name: 'Site', kind: 'site' as const, changeSeq: 0, cursorEpoch: 1 };
const { notifications } = createFixtureConnector({
  store: memoryFixtureStore({ scopes: [scope], items: [] }),
});
const signal = new AbortController().signal;
const request = {
  scopeExternalId: 'site-1',
  clientState: 'state',
  notificationUrl: 'https://service.example/notifications',
  lifecycleUrl: 'https://service.example/lifecycle',
  expiresAt: new Date('2026-01-05T09:00:00Z'),
};

test('the mock subscribes under its own id and grants the time that is asked', async () => {
  const first = await notifications?.subscribe(request, signal);
  expect(first?.expiresAt).toEqual(request.expiresAt);
  expect(await notifications?.subscribe(request, signal)).toEqual(first);
  const others = [
    { ...request, clientState: 'another' },
    { ...request, expiresAt: new Date('2026-01-05T10:00:00Z') },
  ];
  for (const other of others) {
    expect((await notifications?.subscribe(other, signal))?.externalId).not.toBe(first?.externalId);
  }
  const later = new Date('2026-01-05T11:00:00Z');
  expect(await notifications?.renew(first?.externalId ?? '', later, signal)).toEqual({ expiresAt: later });
});

test('it knows its scopes, and stops when it is told to', async () => {
  await expect(
    notifications?.subscribe({ ...request, scopeExternalId: 'site-2' }, signal),
  ).rejects.toMatchObject({ safeDiagnostic: 'scope_unknown' });
  await expect(notifications?.renew('x', new Date(), AbortSignal.abort())).rejects.toMatchObject({
    safeDiagnostic: 'aborted',
  });
});
