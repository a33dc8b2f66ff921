import { randomBytes } from 'node:crypto';

/** A string that only its own constructor may produce; two brands never mix. */
export type Brand<T, B extends string> = T & { readonly __brand: B };

export type TenantId = Brand<string, 'TenantId'>;
export type PrincipalId = Brand<string, 'PrincipalId'>;
export type DomainId = Brand<string, 'DomainId'>;
export type InformationTypeId = Brand<string, 'InformationTypeId'>;
export type ScopeId = Brand<string, 'ScopeId'>;
export type CampaignId = Brand<string, 'CampaignId'>;
export type AssetId = Brand<string, 'AssetId'>;
export type CandidateId = Brand<string, 'CandidateId'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** `prefix_` plus 26 Crockford base-32 characters: 48 bits of milliseconds, then 80 random bits, so that ids sort by age. */
export function newId(prefix: string, nowMs: number = Date.now()): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  randomBytes(10).copy(bytes, 6);
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return `${prefix}_${text}`;
}
