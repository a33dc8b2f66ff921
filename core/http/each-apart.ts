import { z } from 'zod';
import { withAuditedTx } from '../audit/audited-tx.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';
import type { Db, Tx } from '../db/tx.ts';
import { ERROR_STATUS, type ErrorCode, ServiceError } from '../kernel/errors.ts';

/** Items that one request may name. */
export const MAX_BATCH = 50;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]];

/** A list of 1 to `MAX_BATCH` items that the caller names, each once. */
export const batchOf = <T extends z.ZodType>(item: T, idOf: (item: z.infer<T>) => string) =>
  z
    .array(item)
    .min(1)
    .max(MAX_BATCH)
    .refine((items) => new Set(items.map(idOf)).size === items.length, 'Names something twice.');

/** The answers to a batch, in the order of the request. `status` and `error` are those of a request for the item alone. */
export const apartOf = <T extends z.ZodType>(result: T) =>
  z.object({
    items: z.array(
      z.object({
        id: z.string(),
        status: z.int(),
        error: z.enum(ERROR_CODES).nullable(),
        message: z.string().nullable(),
        result: result.nullable(),
      }),
    ),
  });

type Apart<T> = {
  items: {
    id: string;
    status: number;
    error: ErrorCode | null;
    message: string | null;
    result: T | null;
  }[];
};

/**
 * Does the same with several items, one after the other. What refuses one of them does not affect the others. Anything
 * but a refusal ends the request; the items before it are done, and asking again for them changes nothing.
 * @param act has its own transaction
 * @param countNotFound counts an item that does not exist or that the caller may not see
 */
export async function eachApart<I, T>(
  items: readonly I[],
  idOf: (item: I) => string,
  act: (item: I) => Promise<T>,
  countNotFound: () => Promise<void>,
): Promise<Apart<T>> {
  const answers: Apart<T>['items'] = [];
  for (const item of items) {
    const id = idOf(item);
    try {
      answers.push({ id, status: 200, error: null, message: null, result: await act(item) });
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      if (thrown.code === 'not_found') await countNotFound();
      const message = thrown.issues?.map((issue) => issue.message).join(' ') ?? thrown.message;
      answers.push({ id, status: thrown.status, error: thrown.code, message, result: null });
    }
  }
  return { items: answers };
}

type Request = {
  runtime: { db: Db };
  principal: Principal;
  correlationId: string;
  now: number;
  countNotFound(): Promise<void>;
};

/** The same where each item has a transaction of the request, with the audit events of the item. */
export const eachInTx = <I, T>(
  { runtime, principal: { tenantId, principalId }, correlationId, now, countNotFound }: Request,
  items: readonly I[],
  idOf: (item: I) => string,
  act: (tx: Tx, audit: (entry: AuditEntry) => void, item: I) => Promise<T>,
): Promise<Apart<T>> =>
  eachApart(
    items,
    idOf,
    (item) =>
      withAuditedTx(runtime.db, { tenantId, principalId, correlationId, now }, (tx, events) =>
        act(tx, (entry) => events.push(entry), item),
      ),
    countNotFound,
  );
