import { DefaultAzureCredential } from '@azure/identity';
import { QueueClient } from '@azure/storage-queue';
import type { Config } from '../config.ts';
import { DOORBELL_QUEUE, type Doorbell } from '../work/doorbell.ts';

const DELAY_MAX_SECONDS = 7 * 24 * 3600;
/** A doorbell that nobody heard for an hour tells nothing that the sweep does not. */
const TIME_TO_LIVE_SECONDS = 3600;

/** Doorbells as messages of a Storage queue, which is made on first use. Null when no storage is configured. */
export function createQueueDoorbell(config: Config): Doorbell | null {
  const queue = queueClient(config);
  if (queue === null) return null;
  let made: Promise<unknown> | undefined;
  const ready = async () => {
    made ??= queue.createIfNotExists();
    await made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
  };
  return {
    ring: async (count, delayMs) => {
      await ready();
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
      await ready();
      return (await queue.peekMessages({ numberOfMessages: 1 })).peekedMessageItems.length > 0;
    },
  };
}

function queueClient(config: Config): QueueClient | null {
  const options = { retryOptions: { maxTries: 3, tryTimeoutInMs: 5_000, retryDelayInMs: 200 } };
  if (config.AzureWebJobsStorage !== undefined) {
    return new QueueClient(config.AzureWebJobsStorage, DOORBELL_QUEUE, options);
  }
  const account = config.AzureWebJobsStorage__accountName;
  if (account === undefined) return null;
  const url = `https://${account}.queue.core.windows.net/${DOORBELL_QUEUE}`;
  return new QueueClient(url, new DefaultAzureCredential(), options);
}
