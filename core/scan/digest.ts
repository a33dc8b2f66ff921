import { createHash } from 'node:crypto';

/** The key of a stage: a digest of its parts, which are JSON values. */
export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
