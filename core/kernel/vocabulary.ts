/** The closed sets of words that the engine, the database, the metrics and the logs have in common. */
export const UNIT_KINDS = ['inventory_page', 'delta_run', 'process_asset', 'rescore_asset'] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

export const STAGES = ['observe', 'permissions', 'labels', 'content', 'features', 'inference'] as const;
export type Stage = (typeof STAGES)[number];

export const STAGE_OUTCOMES = ['computed', 'cache_hit', 'skipped', 'failed'] as const;
export type StageOutcome = (typeof STAGE_OUTCOMES)[number];

export const RETRY_CLASSES = [
  'transient',
  'throttled',
  'auth',
  'unsupported',
  'corrupt',
  'policy_denied',
  'permanent',
] as const;
export type RetryClass = (typeof RETRY_CLASSES)[number];

/** Of risks and findings, from the least to the most severe. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Why a sign-in through the identity provider did not start a session. */
export const SIGN_IN_REFUSALS = [
  'not_configured',
  'expired',
  'other_browser',
  'refused_by_provider',
  'provider_unreachable',
  'token_invalid',
  'too_many_groups',
  'code_invalid',
  'identity_in_use',
  'deactivated',
  'no_access',
  'failed',
] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];
