import type { TableClient } from '@azure/data-tables';
import type { Config } from '../config/config.ts';
import { isStorageConfigured, tableClient } from './storage-clients.ts';
import { once, within } from './within.ts';

/** A sign-in that has started and not ended yet. */
export type SignInTransaction = {
  nonce: string;
  verifier: string;
  /** SHA-256 of the cookie of the browser in which it started. */
  browserHash: string;
  /** SHA-256 of the setup code or invitation that came along; empty without one. */
  codeHash: string;
  returnTo: string;
  expiresAt: Date;
};

/** The table of sign-ins does not answer, or not as it should. `cause` is for the log. */
export class SignInsUnavailable extends Error {
  constructor(cause: unknown) {
    super('sign_ins_unavailable', { cause });
    this.name = 'SignInsUnavailable';
  }
}

/** Each call of a sign-in ends within three seconds, and throws `SignInsUnavailable`. */
export type SignInTable = {
  /** @param id of the transaction, which nobody can guess */
  insert(id: string, transaction: SignInTransaction): Promise<void>;
  /** `use` deletes the transaction, and returns whether it was this call that did. Null where there is none. */
  find(id: string): Promise<{ transaction: SignInTransaction; use(): Promise<boolean> } | null>;
  /** Deletes those that have expired, until `signal` aborts; returns how many. */
  sweep(now: number, signal: AbortSignal): Promise<number>;
};

export const SIGN_IN_TABLE = 'signins';
/** Of all sign-ins: the sweep deletes what has expired there. */
export const PARTITION = 'sign-in';
/** The most that one batch of the service may hold. */
const BATCH = 100;
/** A person waits for each call. */
export const SIGN_IN_BOUND_MS = 3_000;
/** Nobody waits for the sweep, except its next run. */
const SWEEP_BOUND_MS = 60_000;
const GONE = new Set<unknown>([404, 412]);

/**
 * Sign-ins in a table of the storage account. The table, and the client in this process, are made on first use. Null
 * when no storage is configured.
 */
export function createSignInTable(config: Config): SignInTable | null {
  if (!isStorageConfigured(config)) return null;
  const clientOf = once(() => tableClient(config, SIGN_IN_TABLE));
  const created = once((table: TableClient) =>
    within(SIGN_IN_BOUND_MS, (abortSignal) => table.createTable({ abortSignal })),
  );
  const bounded = async <T>(
    milliseconds: number,
    call: (table: TableClient, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    // The first call loads the client, for which no server is waited.
    const table = await clientOf();
    return within(milliseconds, async (abortSignal) => {
      await created(table);
      return call(table, abortSignal);
    });
  };
  const inTable = <T>(call: (table: TableClient, abortSignal: AbortSignal) => Promise<T>): Promise<T> =>
    bounded(SIGN_IN_BOUND_MS, call).catch((error: unknown) => {
      throw new SignInsUnavailable(error);
    });
  return {
    insert: async (id, transaction) => {
      const entity = { partitionKey: PARTITION, rowKey: id, ...transaction };
      await inTable((table, abortSignal) => table.createEntity(entity, { abortSignal }));
    },
    find: async (id) => {
      const found = await inTable((table, abortSignal) =>
        table.getEntity<SignInTransaction>(PARTITION, id, { abortSignal }).catch(nullIfGone),
      );
      if (found === null) return null;
      const { nonce, verifier, browserHash, codeHash, returnTo, expiresAt, etag } = found;
      return {
        transaction: { nonce, verifier, browserHash, codeHash, returnTo, expiresAt },
        use: () =>
          inTable(
            async (table, abortSignal) =>
              (await table.deleteEntity(PARTITION, id, { etag, abortSignal }).catch(nullIfGone)) !== null,
          ),
      };
    },
    sweep: (now, signal) =>
      bounded(SWEEP_BOUND_MS, async (table, late) => {
        const abortSignal = AbortSignal.any([signal, late]);
        let deleted = 0;
        const expired = table.listEntities({
          abortSignal,
          queryOptions: {
            filter: `PartitionKey eq '${PARTITION}' and expiresAt le datetime'${new Date(now).toISOString()}'`,
            select: ['rowKey'],
          },
        });
        for await (const page of expired.byPage({ maxPageSize: BATCH })) {
          if (signal.aborted) return deleted;
          const keys = page.flatMap(({ rowKey }) => (rowKey === undefined ? [] : [rowKey]));
          deleted += await deleteAll(table, keys);
        }
        return deleted;
      }),
  };
}

/** In one batch, or one by one where a sign-in has ended meanwhile. */
async function deleteAll(table: TableClient, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  try {
    await table.submitTransaction(
      keys.map(
        (rowKey) =>
          ['delete', { partitionKey: PARTITION, rowKey }] as [
            'delete',
            { partitionKey: string; rowKey: string },
          ],
      ),
    );
    return keys.length;
  } catch (error) {
    nullIfGone(error);
    const results = await Promise.all(
      keys.map((rowKey) => table.deleteEntity(PARTITION, rowKey).catch(nullIfGone)),
    );
    return results.filter((result) => result !== null).length;
  }
}

/** Somebody else was first. Throws everything else again. */
function nullIfGone(error: unknown): null {
  if (error instanceof Error && 'statusCode' in error && GONE.has(error.statusCode)) return null;
  throw error;
}
