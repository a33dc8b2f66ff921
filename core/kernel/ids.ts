import { randomFillSync } from 'node:crypto';

/** A string that only its own constructor may produce; two brands never mix. */
export type Brand<T, B extends string> = T & { readonly __brand: B };

export type TenantId = Brand<string, 'TenantId'>;
export type PrincipalId = Brand<string, 'PrincipalId'>;
export type DomainId = Brand<string, 'DomainId'>;
export type ScopeId = Brand<string, 'ScopeId'>;
export type CampaignId = Brand<string, 'CampaignId'>;
export type AssetId = Brand<string, 'AssetId'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** Random bytes are drawn for many ids at once: one by one they would be most of what an id costs. */
const pool = Buffer.alloc(RANDOM_CHARACTERS * 256);
let drawn = pool.length;

/** `prefix_` plus 26 Crockford base-32 characters: 48 bits of milliseconds, then 80 random bits, so that ids sort by age. */
export function newId(prefix: string, nowMs: number = Date.now()): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  let text = '';
  for (let left = Math.floor(nowMs), i = 0; i < TIME_CHARACTERS; i++) {
    text = ALPHABET.charAt(left % 32) + text;
    left = Math.floor(left / 32);
  }
  for (let i = 0; i < RANDOM_CHARACTERS; i++) text += ALPHABET.charAt((pool[drawn++] ?? 0) % 32);
  return `${prefix}_${text}`;
}
