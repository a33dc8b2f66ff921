import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { SUBSCRIPTION_STATUSES } from './subscription-states.ts';
import { SUBSCRIPTION_COLUMNS, SUBSCRIPTION_ERRORS, type Subscription } from './subscriptions.sql.ts';

const Timestamp = z.iso.datetime();

/** A subscription as the API shows it. Its client state is never shown. */
export const SubscriptionSchema = z.object({
  subscriptionId: z.string(),
  sourceSubscriptionId: z
    .string()
    .describe('What the source calls it: notifications name it as their `subscriptionId`'),
  scopeId: z.string(),
  mode: z.enum(['mock', 'live']),
  forced: z.boolean().describe('Made to simulate a notification; it is not renewed'),
  status: z.enum(SUBSCRIPTION_STATUSES),
  lastError: z.enum(SUBSCRIPTION_ERRORS).nullable(),
  createdAt: Timestamp,
  renewedAt: Timestamp.nullable(),
  expiresAt: Timestamp,
});
export type ShownSubscription = z.infer<typeof SubscriptionSchema>;

/** Throws if the source has not confirmed the subscription yet. */
export function shownSubscription(subscription: Subscription): ShownSubscription {
  const {
    subscriptionId,
    externalId,
    scopeId,
    mode,
    forced,
    status,
    lastError,
    createdAt,
    renewedAt,
    expiresAt,
  } = subscription;
  if (status === null || externalId === null || expiresAt === null)
    throw new Error('A subscription without a status cannot be shown');
  return {
    subscriptionId,
    sourceSubscriptionId: externalId,
    scopeId,
    mode,
    forced,
    status,
    lastError,
    createdAt: createdAt.toISOString(),
    renewedAt: renewedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
  };
}

/** The newest subscriptions that their source has confirmed, at most `limit`. */
export async function listSubscriptions(tx: Tx, limit: number): Promise<ShownSubscription[]> {
  const rows = await tx.query<Subscription>(sql`
    select ${SUBSCRIPTION_COLUMNS} from change_subscriptions
     where tenant_id = ${tx.tenantId} and status is not null
     order by created_at desc, subscription_id desc limit ${limit}`);
  return rows.map(shownSubscription);
}
