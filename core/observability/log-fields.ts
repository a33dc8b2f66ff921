import { type SettingName, SettingsSchema } from '../config/config.ts';
import {
  HTTP_METHODS,
  OWN_PROBLEMS,
  RETRY_CLASSES,
  SIGN_IN_REFUSALS,
  STAGE_OUTCOMES,
  STAGES,
  UNIT_KINDS,
} from '../kernel/vocabulary.ts';
import { type AcceptedBy, amount, oneOf, route, text } from './field-rules.ts';
import { NOTIFICATION_OUTCOMES, SETTLED_OUTCOMES } from './vocabulary.ts';

/** The events that may be logged. An event without a place here does not compile. */
export type LogEvent =
  | 'http_request'
  | 'internal_error'
  | 'after_commit_failed'
  | 'adapter_call_unaudited'
  | 'not_found_uncounted'
  | 'sign_in_refused'
  | 'access_token_refused'
  | 'after_campaign_failed'
  | 'call_pause_failed'
  | 'campaign_end_unaudited'
  | 'action_execution_failed'
  | 'delta_resync_required'
  | 'label_catalog_failed'
  | 'scheduled_delta_failed'
  | 'scheduled_inventory_failed'
  | 'scheduled_inventories_started'
  | 'scheduled_deltas_started'
  | 'schedule_zones_unknown'
  | 'scheduled_runs_started'
  | 'source_usage_failed'
  /** The license lets no scan start. */
  | 'scheduled_deltas_skipped'
  | 'license_activated'
  | 'license_renewed'
  | 'license_renewal_failed'
  | 'license_deactivated'
  | 'license_clock_changed'
  | 'telemetry_sent'
  | 'telemetry_not_accepted'
  | 'process_started'
  | 'setting_missing'
  | 'metrics_incomplete'
  | 'metrics_port_taken'
  | 'traces_not_exported'
  /** The way of a unit, at level `debug`. */
  | 'unit_leased'
  | 'unit_stage'
  | 'unit_settled'
  | 'work_failed'
  | 'work_group_failed'
  | 'work_handed_back'
  /** A part of the process fails, and it leases nothing. */
  | 'own_part_failed'
  | 'own_part_works'
  | 'database_unavailable'
  | 'migration_failed'
  | 'work_dead_lettered'
  | 'doorbell_failed'
  | 'settle_failed'
  | 'stale_settle_refused'
  | 'lease_renewal_failed'
  | 'heartbeat_failed'
  | 'units_taken_over'
  | 'times_brought_back'
  | 'clock_apart'
  | 'worker_started'
  | 'worker_loop_failed'
  | 'hint_lost'
  | 'message_sync_failed'
  | 'message_not_read'
  | 'audit_signing_key_unusable'
  | 'audit_chain_not_as_signed'
  | 'database_error';

/** An id that `newId` made. */
const id = text(/^[a-z]{2,12}_[0-9a-z]{1,32}$/);

/**
 * Every field that a caller may log, with what it may hold. Names, paths, addresses, content, tokens and hashes have
 * no field, and each text field takes only words of a closed set, opaque ids or what the code itself declares. Who
 * acted is in the audit trail, which bears the same correlation id.
 */
const FIELDS = {
  correlationId: text(/^[A-Za-z0-9._-]{1,64}$/),
  tenantId: text(/^[A-Za-z0-9_-]{1,64}$/),
  scopeId: id,
  campaignId: id,
  unitId: amount,
  kind: oneOf([...UNIT_KINDS, 'inventory', 'delta', 'rescore']),
  stage: oneOf(STAGES),
  outcome: oneOf([...STAGE_OUTCOMES, ...SETTLED_OUTCOMES, ...NOTIFICATION_OUTCOMES]),
  retryClass: oneOf(RETRY_CLASSES),
  /** Why a sign-in or an access token was refused. */
  reason: oneOf(SIGN_IN_REFUSALS),
  /** What the process cannot do. */
  problem: oneOf(OWN_PROBLEMS),
  attempt: amount,
  method: oneOf(HTTP_METHODS),
  route,
  status: amount,
  durationMs: amount,
  count: amount,
  /** How far the clock of the process is from that of the database, in milliseconds. */
  apartMs: amount,
  /** Name of an Azure Function. */
  functionName: text(/^[a-z][a-z0-9_-]{0,127}$/),
  /** Name of a setting, never its value. */
  setting: oneOf(Object.keys(SettingsSchema.shape) as SettingName[]),
} as const;

type FieldName = keyof typeof FIELDS;

export type LogFields = { readonly [K in FieldName]?: AcceptedBy<(typeof FIELDS)[K]> | undefined };

export type SafeFields = Partial<Record<FieldName, string | number>>;

const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name);

/** The allowlisted fields, each as its rule leaves it. Everything else is dropped. */
export function safeFields(fields: LogFields): SafeFields {
  const safe: SafeFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (isField(name) && value !== undefined) safe[name] = FIELDS[name](value);
  }
  return safe;
}
