import type { QueueClient } from '@azure/storage-queue';
import type { Config } from '../config.ts';
import { DOORBELL_QUEUE, type Doorbell } from '../work/doorbell.ts';
import { isStorageConfigured, queueClient } from './storage-clients.ts';

const DELAY_MAX_SECONDS = 7 * 24 * 3600;
/** A doorbell that nobody heard for an hour tells nothing that the sweep does not. */
const TIME_TO_LIVE_SECONDS = 3600;

/**
 * Doorbells as messages of a Storage queue. The queue, and the client in this process, are made on first use. Null when
 * no storage is configured.
 */
export function createQueueDoorbell(config: Config): Doorbell | null {
  if (!isStorageConfigured(config)) return null;
  let made: Promise<QueueClient> | undefined;
  const ready = () => {
    made ??= createQueue(config);
    return made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
  };
  return {
    ring: async (count, delayMs) => {
      const queue = await ready();
      const visibilityTimeout = Math.min(Math.ceil(delayMs / 1000), DELAY_MAX_SECONDS);
      const message = Buffer.from(JSON.stringify({ ring: true })).toString('base64');
      await Promise.all(
        Array.from({ length: count }, () =>
          queue.sendMessage(message, {
            visibilityTimeout,
            messageTimeToLive: visibilityTimeout + TIME_TO_LIVE_SECONDS,
          }),
        ),
      );
    },
    isRinging: async () => {
      const queue = await ready();
      return (await queue.peekMessages({ numberOfMessages: 1 })).peekedMessageItems.length > 0;
    },
  };
}

async function createQueue(config: Config): Promise<QueueClient> {
  const queue = await queueClient(config, DOORBELL_QUEUE);
  await queue.createIfNotExists();
  return queue;
}
