import { randomUUID } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';
import type { QueueClient } from '@azure/storage-queue';
import type { Config } from '../config/config.ts';
import { DOORBELL_QUEUE } from '../work/doorbell.ts';
import { PARTITION, SIGN_IN_TABLE } from './sign-in-table.ts';
import { queueClient, tableClient } from './storage-clients.ts';

// A probe leaves nothing behind. Where the service has not made its queue or table yet, one of the probe's own takes its
// place, and is deleted.

/** The Functions host moves a message there that its function failed on five times. */
const POISON_QUEUE = `${DOORBELL_QUEUE}-poison`;
/** A probe that could not be deleted is one doorbell too many, after this time. */
const PROBE_HIDDEN_SECONDS = 60;
const PROBE_KEPT_SECONDS = 120;
const NOT_FOUND = 404;

export type QueueProbe = {
  /** Messages in the poison queue, about. */
  poisoned: number;
  /** The time of the server. */
  date: Date | undefined;
};

/** Puts and deletes a hidden message in the queue of doorbells. Throws what the client throws. */
export async function probeQueue(config: Config, abortSignal: AbortSignal): Promise<QueueProbe> {
  const doorbells = await queueClient(config, DOORBELL_QUEUE);
  const poison = await queueClient(config, POISON_QUEUE);
  const poisoned = await orNullIfMissing(poison.getProperties({ abortSignal }));
  return {
    poisoned: poisoned?.approximateMessagesCount ?? 0,
    date:
      (await orNullIfMissing(putAndDelete(doorbells, abortSignal))) ??
      (await inOwnQueue(config, (queue) => putAndDelete(queue, abortSignal))),
  };
}

/** Returns the time of the server. */
async function putAndDelete(queue: QueueClient, abortSignal: AbortSignal): Promise<Date | undefined> {
  const { messageId, popReceipt, date } = await queue.sendMessage(Buffer.from('{}').toString('base64'), {
    visibilityTimeout: PROBE_HIDDEN_SECONDS,
    messageTimeToLive: PROBE_KEPT_SECONDS,
    abortSignal,
  });
  await queue.deleteMessage(messageId, popReceipt, { abortSignal });
  return date;
}

async function inOwnQueue<T>(config: Config, use: (queue: QueueClient) => Promise<T>): Promise<T> {
  const queue = await queueClient(config, `doctor-${randomUUID()}`);
  await queue.create();
  try {
    return await use(queue);
  } finally {
    await queue.delete();
  }
}

/**
 * Writes, reads and deletes a sign-in that has expired, which the sweep would delete too. Throws what the client throws.
 */
export async function probeTable(config: Config, abortSignal: AbortSignal): Promise<void> {
  const signIns = await tableClient(config, SIGN_IN_TABLE);
  if ((await orNullIfMissing(writeAndDelete(signIns, abortSignal))) !== null) return;
  const table = await tableClient(config, `doctor${randomUUID().replaceAll('-', '')}`);
  await table.createTable();
  try {
    await writeAndDelete(table, abortSignal);
  } finally {
    await table.deleteTable();
  }
}

async function writeAndDelete(table: TableClient, abortSignal: AbortSignal): Promise<true> {
  const rowKey = `doctor-${randomUUID()}`;
  await table.createEntity({ partitionKey: PARTITION, rowKey, expiresAt: new Date(0) }, { abortSignal });
  await table.getEntity(PARTITION, rowKey, { abortSignal });
  await table.deleteEntity(PARTITION, rowKey, { abortSignal });
  return true;
}

async function orNullIfMissing<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === NOT_FOUND) return null;
    throw error;
  }
}
