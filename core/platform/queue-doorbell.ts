import type { QueueClient } from '@azure/storage-queue';
import type { Config } from '../config/config.ts';
import { DOORBELL_QUEUE, type Doorbell } from '../work/doorbell.ts';
import { isStorageConfigured, queueClient } from './storage-clients.ts';
import { once, within } from './within.ts';

const DELAY_MAX_SECONDS = 7 * 24 * 3600;
/** A doorbell that nobody heard for an hour announces nothing that the sweep does not find. */
const TIME_TO_LIVE_SECONDS = 3600;
/** Callers wait for it after their commit. What it would announce is found by the sweep. */
export const DOORBELL_BOUND_MS = 2_000;

/**
 * Doorbells as messages of a Storage queue. The queue, and the client in this process, are made on first use. Null when
 * no storage is configured. Each call ends within two seconds.
 */
export function createQueueDoorbell(config: Config): Doorbell | null {
  if (!isStorageConfigured(config)) return null;
  const clientOf = once(() => queueClient(config, DOORBELL_QUEUE));
  const created = once((queue: QueueClient) =>
    within(DOORBELL_BOUND_MS, (abortSignal) => queue.createIfNotExists({ abortSignal })),
  );
  const inQueue = async <T>(
    call: (queue: QueueClient, abortSignal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    // The first call loads the client, for which no server is waited.
    const queue = await clientOf();
    return within(DOORBELL_BOUND_MS, async (abortSignal) => {
      await created(queue);
      return call(queue, abortSignal);
    });
  };
  return {
    ring: (count, delayMs) =>
      inQueue(async (queue, abortSignal) => {
        const visibilityTimeout = Math.min(Math.ceil(delayMs / 1000), DELAY_MAX_SECONDS);
        const message = Buffer.from(JSON.stringify({ ring: true })).toString('base64');
        const messageTimeToLive = visibilityTimeout + TIME_TO_LIVE_SECONDS;
        const options = { visibilityTimeout, messageTimeToLive, abortSignal };
        await Promise.all(Array.from({ length: count }, () => queue.sendMessage(message, options)));
      }),
    isRinging: () =>
      inQueue(async (queue, abortSignal) => {
        const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: 1, abortSignal });
        return peekedMessageItems.length > 0;
      }),
  };
}
