import { hash } from 'node:crypto';
import { hash32 } from './hash.ts';
import type { TenantId } from './ids.ts';
import { stem } from './words.ts';

/** Comes before a tenant's readable words and marks in the index of all tenants, as `search_tag` of the database says. */
export const searchTag = (tenantId: TenantId): string => hash('sha256', tenantId, 'hex').slice(0, 4);

/** A folded word as it is found again, be it in the plural. */
export const wordHash = (folded: string): number => hash32(stem(folded));

/** A word of a text as it is stored: it compares equal within its tenant and cannot be read. */
export const textLexeme = (tenantId: TenantId, wordHash: number): string =>
  `#${hash32(String(wordHash), hash32(tenantId)).toString(36)}`;

/** A folded word of the kind of a detector that found something in the text. */
export const kindLexeme = (tenantId: TenantId, folded: string): string =>
  `~${searchTag(tenantId)}${stem(folded)}`;
