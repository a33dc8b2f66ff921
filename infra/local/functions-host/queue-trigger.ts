import {
  type DequeuedMessageItem,
  type QueueClient,
  type QueueServiceClient,
  RestError,
} from '@azure/storage-queue';
import type { RpcTypedData } from './core-types.ts';
import type { QueueFunction } from './function-metadata.ts';
import type { QueueSettings } from './host-json.ts';
import type { Invoker } from './invoker.ts';
import { createPollingDelay } from './polling-delay.ts';
import type { Trigger } from './timer-trigger.ts';

/** How long a message is hidden during its processing, as in the host. It is renewed after half of that time. */
export const DEFAULT_LEASE_SECONDS = 600;

/** The shortest pause between two attempts to renew. */
const RENEWAL_RETRY_MS = 5000;

export type QueueTriggerOptions = {
  readonly served: QueueFunction;
  readonly service: QueueServiceClient;
  readonly settings: QueueSettings;
  readonly leaseSeconds: number;
  readonly invoker: Invoker;
  readonly onProblem: (what: string, functionName: string) => void;
};

/** Whether a failed storage call means that the message is lost. */
function isLost(error: unknown): boolean {
  if (!(error instanceof RestError)) return false;
  // The message or its queue was deleted, or another receiver has it and our pop receipt is void.
  return error.statusCode === 404 || error.statusCode === 409 || error.code === 'PopReceiptMismatch';
}

/** Returns undefined for text that is not base64, because Buffer would skip invalid characters. */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64');
}

const dotnetDate = (date: Date) => JSON.stringify(date.toISOString().replace(/(?:\.000)?Z$/, '+00:00'));

/** Metadata under the host's names. The programming model converts them to camel case and parses the JSON ones. */
function triggerMetadataOf(message: DequeuedMessageItem, text: string): Record<string, RpcTypedData> {
  return {
    QueueTrigger: { string: text },
    Id: { string: message.messageId },
    PopReceipt: { string: message.popReceipt },
    DequeueCount: { json: String(message.dequeueCount) },
    InsertionTime: { json: dotnetDate(message.insertedOn) },
    ExpirationTime: { json: dotnetDate(message.expiresOn) },
    NextVisibleTime: { json: dotnetDate(message.nextVisibleOn) },
  };
}

/** Keeps a message hidden while its function runs. */
function keepHidden(queue: QueueClient, message: DequeuedMessageItem, leaseSeconds: number) {
  let popReceipt = message.popReceipt;
  let renewal: Promise<void> | undefined;
  let stopped = false;
  let timer = setTimeout(renew, leaseSeconds * 500);

  function renew(): void {
    renewal = queue.updateMessage(message.messageId, popReceipt, undefined, leaseSeconds).then(
      (updated) => {
        popReceipt = updated.popReceipt ?? popReceipt;
        again(leaseSeconds * 500);
      },
      (error: unknown) => {
        if (!isLost(error)) again(Math.min(RENEWAL_RETRY_MS, leaseSeconds * 100));
      },
    );
  }
  function again(ms: number): void {
    if (!stopped) timer = setTimeout(renew, ms);
  }

  return {
    /** Ends the renewal after a running one. @returns the receipt that is valid now */
    async release(): Promise<string> {
      stopped = true;
      clearTimeout(timer);
      await renewal;
      return popReceipt;
    },
  };
}

/** Undefined if the text does not have the declared encoding. */
const bytesOf = (text: string, encoding: QueueTriggerOptions['settings']['messageEncoding']) =>
  encoding === 'base64' ? decodeBase64(text) : Buffer.from(text);

/** Polls a storage queue and runs its function once for each message. */
export function createQueueTrigger(options: QueueTriggerOptions): Trigger {
  const { served, service, settings, leaseSeconds, invoker, onProblem } = options;
  const queue = service.getQueueClient(served.queueName);
  const poison = service.getQueueClient(`${served.queueName}-poison`);
  const threshold = settings.newBatchThreshold ?? Math.floor(settings.batchSize / 2);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const delay = createPollingDelay(settings.maxPollingInterval, stopping.signal);

  /** Ignores a lost message. After any other failure the message becomes visible again. */
  async function settle(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isLost(error)) onProblem(what, served.name);
    }
  }

  /**
   * Copies the message before it is deleted, so that a crash in between leaves two messages and never none. The text
   * stays unchanged.
   */
  const moveToPoison = (message: DequeuedMessageItem, popReceipt: string) =>
    settle('move a message to the poison queue', async () => {
      await poison.createIfNotExists();
      await poison.sendMessage(message.messageText, { messageTimeToLive: -1 });
      onProblem('process a message; it went to the poison queue', served.name);
      await queue.deleteMessage(message.messageId, popReceipt);
    });

  async function run(message: DequeuedMessageItem, bytes: Buffer): Promise<void> {
    const text = bytes.toString('utf8');
    const isBinary = served.registered.metadata.bindings[served.inputName]?.dataType === 'binary';
    const hidden = keepHidden(queue, message, leaseSeconds);
    let succeeded = true;
    try {
      await invoker.invoke(served, {
        data: isBinary ? { bytes } : { string: text },
        triggerMetadata: triggerMetadataOf(message, text),
      });
    } catch {
      succeeded = false;
    }
    const popReceipt = await hidden.release();
    if (succeeded) {
      await settle('delete a message', () => queue.deleteMessage(message.messageId, popReceipt));
    } else if (message.dequeueCount >= settings.maxDequeueCount) {
      await moveToPoison(message, popReceipt);
    } else {
      const seconds = Math.ceil(settings.visibilityTimeout / 1000);
      await settle('release a message', () =>
        queue.updateMessage(message.messageId, popReceipt, undefined, seconds),
      );
    }
  }

  async function handle(message: DequeuedMessageItem): Promise<void> {
    const bytes = bytesOf(message.messageText, settings.messageEncoding);
    // It was received too often, because the last receiver died with it, or nobody can decode it.
    if (bytes === undefined || message.dequeueCount > settings.maxDequeueCount) {
      await moveToPoison(message, message.popReceipt);
    } else {
      await run(message, bytes);
    }
  }

  async function receive(): Promise<readonly DequeuedMessageItem[]> {
    try {
      const received = await queue.receiveMessages({
        numberOfMessages: settings.batchSize,
        visibilityTimeout: leaseSeconds,
        abortSignal: stopping.signal,
      });
      return received.receivedMessageItems;
    } catch (error) {
      // A queue that does not exist yet has no messages.
      const isMissing = error instanceof RestError && error.statusCode === 404;
      if (!isMissing && !stopping.signal.aborted) onProblem('receive messages', served.name);
      return [];
    }
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const messages = await receive();
      for (const message of messages) {
        const work: Promise<void> = handle(message)
          .catch(() => onProblem('process a message', served.name))
          .finally(() => running.delete(work));
        running.add(work);
      }
      if (messages.length === 0) await delay.afterNothing();
      else delay.reset();
      while (running.size > threshold) await Promise.race(running);
    }
  }

  let polling: Promise<void> = Promise.resolve();
  return {
    async start() {
      polling = poll();
    },
    async stop() {
      stopping.abort();
      await polling;
      await Promise.all(running);
    },
  };
}
