import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What a source sends back with each notification, so that it can be told from anybody else's (specification,
 * *Authentication* 9): HMAC-SHA256 over `svc-sub:<subscriptionId>`, keyed by the session secret. 64 hexadecimal digits,
 * of the 128 characters that sources take. Derived, so it is stored nowhere.
 */
export const clientStateOf = (secret: string, subscriptionId: string): string =>
  createHmac('sha256', secret).update(`svc-sub:${subscriptionId}`).digest('hex');

/**
 * Whether `given` is the state of the subscription. The time taken tells neither how much of it is right nor, within
 * the length that a state has, how long it is: both sides are hashed before they are compared.
 */
export function clientStateHolds(secret: string, subscriptionId: string, given: unknown): boolean {
  const text = typeof given === 'string' && given.length <= MAX_CLIENT_STATE ? given : '';
  const digest = (value: string) => createHmac('sha256', secret).update(value).digest();
  return timingSafeEqual(digest(text), digest(clientStateOf(secret, subscriptionId)));
}

const MAX_CLIENT_STATE = 128;
