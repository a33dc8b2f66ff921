import type { Transition } from '../kernel/transition.ts';

export const SUBSCRIPTION_STATUSES = ['active', 'expiring', 'expired', 'error', 'removed'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** `subscribed`, `renewed`: the source has confirmed it. `lapsed`: the expiry sweep found that it had expired. */
export type SubscriptionTrigger =
  | 'subscribed'
  | 'renewed'
  | 'renewal_failed'
  | 'lapsed'
  | 'reauthorizationRequired'
  | 'subscriptionRemoved';

/**
 * The states of a change subscription (specification, table *Change subscription*). Beyond the specification,
 * `expired` can become `active` again, so that a scope can be subscribed to after its subscription has lapsed.
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

/** The status after a trigger, or null if the trigger is not allowed. `status` null: not confirmed yet. */
export const nextSubscriptionState = (
  status: SubscriptionStatus | null,
  trigger: SubscriptionTrigger,
): SubscriptionStatus | null =>
  SUBSCRIPTION_TRANSITIONS.find((row) => row.from === status && row.trigger === trigger)?.to ?? null;

const MINUTE_MS = 60_000;
/** Lifetime of a subscription from its registration or renewal (specification, *Limits*). */
export const SUBSCRIPTION_LIFETIME_MS = 60 * MINUTE_MS;
/** An active subscription is renewed when less than this remains. An expiring one is renewed at once. */
export const RENEWAL_WINDOW_MS = 20 * MINUTE_MS;

const LONGEST_PAUSE_MS = 6 * 60 * MINUTE_MS;

/**
 * How long the sweep waits after the registration of a lost subscription has failed: 5 minutes, then twice as long each
 * time, up to 6 hours. @param failures registrations that failed in a row, from 1
 */
export const registerAgainAfterMs = (failures: number): number =>
  Math.min(5 * MINUTE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
