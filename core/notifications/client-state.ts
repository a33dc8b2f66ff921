import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The secret that a source returns with each notification, as proof of its origin (specification, *Authentication*
 * 9): HMAC-SHA256 of `svc-sub:<subscriptionId>` with the session secret as key, in 64 hexadecimal digits. Sources
 * accept up to 128 characters. It is derived and stored nowhere.
 */
export const clientStateOf = (secret: string, subscriptionId: string): string =>
  createHmac('sha256', secret).update(`svc-sub:${subscriptionId}`).digest('hex');

/**
 * Whether `given` is the client state of the subscription under one of the secrets. Both sides are hashed before the
 * comparison, so that its duration depends neither on the correct part of `given` nor on its length.
 */
export function clientStateHolds(
  secrets: readonly string[],
  subscriptionId: string,
  given: unknown,
): boolean {
  const text = typeof given === 'string' && given.length <= MAX_CLIENT_STATE ? given : '';
  return secrets.some((secret) => {
    const digest = (value: string) => createHmac('sha256', secret).update(value).digest();
    return timingSafeEqual(digest(text), digest(clientStateOf(secret, subscriptionId)));
  });
}

const MAX_CLIENT_STATE = 128;

/**
 * Distinguishes secrets and nothing else: 32 bits in 8 hexadecimal digits. A subscription is stored with the id of the
 * secret that its source knows a client state of.
 */
export const secretIdOf = (secret: string): string =>
  createHmac('sha256', secret).update('svc-sub-secret').digest('hex').slice(0, 8);
