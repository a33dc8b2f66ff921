/** Closed sets of words that only metrics and logs use. Whatever is not in them is not recorded. */
export const MEASURED_STAGES = ['observe', 'permissions', 'labels', 'content', 'features'] as const;
export type MeasuredStage = (typeof MEASURED_STAGES)[number];

export const MEASURED_OUTCOMES = ['computed', 'cache_hit'] as const;
export type MeasuredOutcome = (typeof MEASURED_OUTCOMES)[number];

export const EXTRACTION_STATES = ['available', 'partial', 'unsupported', 'failed'] as const;
export type ExtractionState = (typeof EXTRACTION_STATES)[number];

export const THROTTLING_STATUSES = ['429', '503'] as const;

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

/** How an attempt is settled. */
export const SETTLED_OUTCOMES = ['completed', 'retry', 'dead', 'handed_back'] as const;

export const UNIT_OUTCOMES = ['completed', 'failed', 'handed_back'] as const;

export const TRANSACTION_KINDS = ['read', 'write', 'engine', 'queue', 'lookup'] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

/** What a connector, or a service of a source beside it, is asked. */
export const SOURCE_OPERATIONS = [
  'list_scopes',
  'list_labels',
  'list_items',
  'list_changes',
  'count_bytes',
  'get_item',
  'get_permissions',
  'get_label',
  'read_content',
  'subscribe',
  'renew_subscription',
] as const;
export type SourceOperation = (typeof SOURCE_OPERATIONS)[number];

/** What the timer that signs audit chains has found. */
export const CHECKPOINT_OUTCOMES = ['signed', 'chain_not_as_signed', 'key_unusable'] as const;
export type CheckpointOutcome = (typeof CHECKPOINT_OUTCOMES)[number];

/** What became of second opinions that the AI provider was asked for, or would have been. */
export const OPINION_OUTCOMES = [
  'type',
  'none',
  'unusable',
  'unavailable',
  'spending_cap',
  'scan_bound',
] as const;
export type OpinionOutcome = (typeof OPINION_OUTCOMES)[number];

/** Answers to requests by the first digit of their status, and those that ask to come again. */
export const HTTP_ANSWERS = ['2xx', '3xx', '4xx', '5xx', '503'] as const;
export type HttpAnswer = (typeof HTTP_ANSWERS)[number];

export const httpAnswer = (status: number): HttpAnswer =>
  status === 503 ? '503' : (HTTP_ANSWERS.find((each) => each[0] === String(status)[0]) ?? '2xx');
