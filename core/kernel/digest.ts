import { createHash } from 'node:crypto';

/** A text of 43 characters that differs if one of the parts, which are JSON values, does. */
export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
