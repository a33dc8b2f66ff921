/** Closed sets of words that only metrics and logs use. Whatever is not in them is not recorded. */
export const MEASURED_STAGES = ['observe', 'permissions', 'labels', 'content', 'features'] as const;
export type MeasuredStage = (typeof MEASURED_STAGES)[number];

export const MEASURED_OUTCOMES = ['computed', 'cache_hit'] as const;
export type MeasuredOutcome = (typeof MEASURED_OUTCOMES)[number];

export const EXTRACTION_STATES = ['available', 'partial', 'unsupported', 'failed'] as const;
export type ExtractionState = (typeof EXTRACTION_STATES)[number];

export const THROTTLING_STATUSES = ['429', '503'] as const;
export type ThrottlingStatus = (typeof THROTTLING_STATUSES)[number];

export const NOTIFICATION_OUTCOMES = [
  'reconcile_enqueued',
  'reconcile_skipped',
  'deduplicated',
  'rejected:unknown_subscription',
  'rejected:client_state_mismatch',
] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

export const SUBSCRIPTION_MODES = ['mock', 'live'] as const;
export type SubscriptionMode = (typeof SUBSCRIPTION_MODES)[number];

export const LIFECYCLE_EVENTS = ['reauthorizationRequired', 'missed', 'subscriptionRemoved'] as const;
export type LifecycleEvent = (typeof LIFECYCLE_EVENTS)[number];
