import { createHash } from 'node:crypto';

/** A stage's key: the same for the same parts in the same order. The parts are JSON. */
export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
