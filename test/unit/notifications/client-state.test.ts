import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientStateHolds, clientStateOf, secretIdOf } from '../../../core/notifications/client-state.ts';

const SECRET = 'a-session-secret';
const OF = 'sub_0123456789abcdefghjkmnpqrs';

test('is a short HMAC of the subscription, keyed by the session secret', () => {
  const expected = createHmac('sha256', SECRET).update(`svc-sub:${OF}`).digest('hex');
  expect(clientStateOf(SECRET, OF)).toBe(expected);
  expect(expected.length).toBeLessThanOrEqual(128);
});

test('holds for its own subscription under its own secret, and for nothing else', () => {
  const state = clientStateOf(SECRET, OF);
  expect(clientStateHolds([SECRET], OF, state)).toBe(true);
  expect(clientStateHolds(['another-secret'], OF, state)).toBe(false);
  expect(clientStateHolds([SECRET], `${OF}x`, state)).toBe(false);
  expect(clientStateHolds([SECRET], OF, state.toUpperCase())).toBe(false);
  expect(clientStateHolds([SECRET], OF, `${state}\0`)).toBe(false);
  expect(clientStateHolds([SECRET], OF, state.padEnd(1_000_000, 'x'))).toBe(false);
});

test('holds under any of the secrets, which have ids to tell them apart', () => {
  expect(clientStateHolds(['another-secret', SECRET], OF, clientStateOf(SECRET, OF))).toBe(true);
  expect(clientStateHolds(['another-secret', 'a third'], OF, clientStateOf(SECRET, OF))).toBe(false);
  expect(secretIdOf(SECRET)).toMatch(/^[0-9a-f]{8}$/);
  expect(secretIdOf(SECRET)).not.toBe(secretIdOf('another-secret'));
});

test('takes whatever comes, of any type and length, and refuses it', () => {
  const state = clientStateOf(SECRET, OF);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.nat(state.length - 1).map((length) => state.slice(0, length)),
        fc.string({ minLength: 1 }).map((more) => state + more),
      ),
      (given) => !clientStateHolds([SECRET], OF, given),
    ),
  );
});
