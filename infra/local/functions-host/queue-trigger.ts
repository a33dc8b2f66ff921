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

/** How long a message that is being worked on stays hidden before it is renewed at half of it; the host's figure. */
export const DEFAULT_LEASE_SECONDS = 600;

/** Least pause between two attempts to renew. */
const RENEWAL_RETRY_MS = 5000;

export type QueueTriggerOptions = {
  readonly served: QueueFunction;
  readonly service: QueueServiceClient;
  readonly settings: QueueSettings;
  readonly leaseSeconds: number;
  readonly invoker: Invoker;
  readonly onProblem: (what: string, functionName: string) => void;
};

/** What a failed storage call means for the message at hand. */
function isLost(error: unknown): boolean {
  if (!(error instanceof RestError)) return false;
  // The message or its queue is gone, or another receiver has it since: a new pop receipt made ours void.
  return error.statusCode === 404 || error.statusCode === 409 || error.code === 'PopReceiptMismatch';
}

/** @returns undefined for text that is not base64: Buffer would decode what it can and drop the rest. */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64');
}

const dotnetDate = (date: Date) => JSON.stringify(date.toISOString().replace(/(?:\.000)?Z$/, '+00:00'));

/** By the host's names; the programming model turns them to camel case and parses the JSON ones. */
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
    /** Ends the renewal, waiting for one under way. @returns the receipt that is valid now. */
    async release(): Promise<string> {
      stopped = true;
      clearTimeout(timer);
      await renewal;
      return popReceipt;
    },
  };
}

/** Undefined where the text is not what its encoding says. */
const bytesOf = (text: string, encoding: QueueTriggerOptions['settings']['messageEncoding']) =>
  encoding === 'base64' ? decodeBase64(text) : Buffer.from(text);

/** Polls one storage queue and runs its function once for every message. */
export function createQueueTrigger(options: QueueTriggerOptions): Trigger {
  const { served, service, settings, leaseSeconds, invoker, onProblem } = options;
  const queue = service.getQueueClient(served.queueName);
  const poison = service.getQueueClient(`${served.queueName}-poison`);
  const threshold = settings.newBatchThreshold ?? Math.floor(settings.batchSize / 2);
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const delay = createPollingDelay(settings.maxPollingInterval, stopping.signal);

  /** A message that is lost already is nobody's problem; any other failure leaves it to come back. */
  async function settle(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isLost(error)) onProblem(what, served.name);
    }
  }

  /** Copied before it is deleted: a crash in between leaves two, never none. The text goes as it came. */
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
    // Received once too often: the last receiver died with it. Or nobody can read it.
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
      // A queue that is not there yet has no messages.
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
