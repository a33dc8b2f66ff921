import { z } from 'zod';
import type { Runtime } from '../runtime.ts';
import { Slots } from '../work/slots.ts';
import type { Content } from './declaration.ts';
import { endpoint, source } from './endpoint.ts';

/** Sources time out after about 3 s, and then send again or stop sending. */
const ANSWER_WITHIN_MS = 1_500;
/** Far more than hundreds of notifications need. A source splits larger numbers into several requests. */
const MAX_BODY_BYTES = 512 * 1024;
const MAX_TOKEN = 2_048;
/**
 * Receivers that run at once in a process, each with one connection. The bound leaves the other connections to
 * people.
 */
const RECEIVERS = 2;
/**
 * Maximum number of waiting items, about 400 bytes each. Further ones are dropped, because they would be processed
 * too late.
 */
const MAX_WAITING_ITEMS = 20_000;

/** Longer tokens than any source sends are refused. All others are returned unchanged. */
const Handshake = z.object({
  validationToken: z
    .string()
    .min(1)
    .max(MAX_TOKEN)
    .transform((token) => Buffer.from(token))
    .optional()
    .catch(undefined),
});

/** An operator sees there what has become of it. */
const OUTCOMES = '/api/admin/notifications/recent';
const ACCEPTED: Content = {
  status: 202,
  location: OUTCOMES,
  contentType: 'application/json; charset=utf-8',
  body: '{}',
};

const slots = new Slots(RECEIVERS);
let waitingItems = 0;

/**
 * Declares an endpoint that a source calls back. It answers the validation handshake with the token as plain text,
 * and everything else with 202 within two seconds, whatever the content and the result (specification, *Errors*).
 * Longer work continues after the response.
 */
export function webhook<Item>(declaration: {
  name: string;
  path: `/api/webhooks/${string}`;
  summary: string;
  description?: string;
  /** Accepts any body and keeps only the valid items. */
  body: z.ZodType<{ value: Item[] }>;
  receive: (
    runtime: Runtime,
    items: readonly Item[],
    delivery: { correlationId: string; now: number },
  ) => Promise<void>;
}) {
  const { receive, ...rest } = declaration;
  return endpoint({
    ...rest,
    method: 'POST',
    access: source,
    transaction: 'none',
    query: Handshake,
    maxBodyBytes: MAX_BODY_BYTES,
    produces: { 200: 'text/plain', 202: 'application/json' },
    handle: async ({ runtime, query, body, correlationId, now }) => {
      if (query.validationToken !== undefined) {
        return { contentType: 'text/plain; charset=utf-8', body: query.validationToken };
      }
      await inTime(
        inTurn(body.value.length, () => receive(runtime, body.value, { correlationId, now })).catch(
          (error: unknown) => runtime.log.warn('hint_lost', { correlationId, route: rest.path }, error),
        ),
      );
      return ACCEPTED;
    },
  });
}

async function inTurn(items: number, work: () => Promise<void>): Promise<void> {
  if (items === 0) return;
  if (waitingItems + items > MAX_WAITING_ITEMS) throw new Error('Too many notifications are waiting');
  waitingItems += items;
  await slots.acquire();
  try {
    await work();
  } finally {
    slots.release();
    waitingItems -= items;
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ANSWER_WITHIN_MS);
  await Promise.race([work, late]);
  clearTimeout(timer);
}
