import { newId } from '../kernel/ids.ts';

const CORRELATION = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's correlation id if it is a plain identifier, otherwise a new one. */
export const correlationIdOf = (given: string | null, now: number): string =>
  given !== null && CORRELATION.test(given) ? given : newId('cor', now);
