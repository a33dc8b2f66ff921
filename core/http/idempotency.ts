import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import { parse } from './body.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Visible ASCII. */
export const IdempotencyKeySchema = z
  .string()
  .regex(/^[!-~]{1,128}$/, 'Send 1 to 128 visible ASCII characters, or none.');

const Headers = z.object({ [IDEMPOTENCY_HEADER]: IdempotencyKeySchema.nullable() });

/** The idempotency key of a request, or null. Throws `validation_failed`. */
export const idempotencyKeyOf = ({ headers }: HttpRequest): string | null =>
  parse(Headers, { [IDEMPOTENCY_HEADER]: headers.get(IDEMPOTENCY_HEADER) })[IDEMPOTENCY_HEADER] ?? null;
