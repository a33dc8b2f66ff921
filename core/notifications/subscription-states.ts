import type { Transition } from '../kernel/transition.ts';

export const SUBSCRIPTION_STATUSES = ['active', 'expiring', 'expired', 'error', 'removed'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** `subscribed`, `renewed`: the source has confirmed it. `lapsed`: the expiry sweep found its time over. */
export type SubscriptionTrigger =
  | 'subscribed'
  | 'renewed'
  | 'renewal_failed'
  | 'lapsed'
  | 'reauthorizationRequired'
  | 'subscriptionRemoved';

/**
 * The specification's table *Change subscription*, `any` written out, and the way back from `expired`, without which a
 * scope whose subscription lapsed once could never be subscribed to again.
 */
export const SUBSCRIPTION_TRANSITIONS: readonly Transition<SubscriptionStatus, SubscriptionTrigger>[] = [
  { from: null, trigger: 'subscribed', to: 'active' },
  { from: 'active', trigger: 'renewed', to: 'active' },
  { from: 'expiring', trigger: 'renewed', to: 'active' },
  { from: 'active', trigger: 'reauthorizationRequired', to: 'expiring' },
  { from: 'active', trigger: 'renewal_failed', to: 'error' },
  { from: 'expiring', trigger: 'renewal_failed', to: 'error' },
  { from: 'active', trigger: 'lapsed', to: 'expired' },
  { from: 'expiring', trigger: 'lapsed', to: 'expired' },
  { from: 'active', trigger: 'subscriptionRemoved', to: 'removed' },
  { from: 'expiring', trigger: 'subscriptionRemoved', to: 'removed' },
  { from: 'expired', trigger: 'subscriptionRemoved', to: 'removed' },
  { from: 'error', trigger: 'subscriptionRemoved', to: 'removed' },
  { from: 'removed', trigger: 'subscriptionRemoved', to: 'removed' },
  { from: 'removed', trigger: 'subscribed', to: 'active' },
  { from: 'error', trigger: 'subscribed', to: 'active' },
  { from: 'expired', trigger: 'subscribed', to: 'active' },
];

/** Where the trigger leads from `status` (null: not yet confirmed); null where it leads nowhere. */
export const nextSubscriptionState = (
  status: SubscriptionStatus | null,
  trigger: SubscriptionTrigger,
): SubscriptionStatus | null =>
  SUBSCRIPTION_TRANSITIONS.find((row) => row.from === status && row.trigger === trigger)?.to ?? null;

const MINUTE_MS = 60_000;
/** How long a subscription lives from its registration or renewal on (specification, *Limits*). */
export const SUBSCRIPTION_LIFETIME_MS = 60 * MINUTE_MS;
/** It is renewed once less than this remains. */
export const RENEWAL_WINDOW_MS = 20 * MINUTE_MS;
