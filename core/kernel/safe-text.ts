import { constants } from 'node:os';
import { BOX_CALLS, CALL_FAILURES, CLOUD_DRIVE_CALLS, GRAPH_CALLS, WHOLE_REFUSALS } from './vocabulary.ts';

const SAFE_TEXT = /^[A-Za-z0-9_.:/-]{1,120}$/;

/** The value where it is a string that may be in a log line, else `[redacted]`. */
export function safeText(value: unknown): string {
  return typeof value === 'string' && SAFE_TEXT.test(value) ? value : '[redacted]';
}

/** Everything that a dead letter may say. A new failure gets a word here before it can be seen. */
const DIAGNOSTICS: ReadonlySet<string> = new Set([
  'aborted',
  'ai_auth',
  'ai_input_bound',
  'ai_malformed',
  'ai_refused',
  'ai_throttled',
  'ai_timeout',
  'ai_unavailable',
  'asset_changed_meanwhile',
  'attempts_spent_unreported',
  'blob_answer_too_large',
  'blob_busy',
  'blob_container_denied',
  'blob_container_name_invalid',
  'blob_container_not_found',
  'blob_container_refused',
  'blob_credential_malformed',
  'blob_credential_refused',
  'blob_cut_off',
  'blob_failed',
  'blob_listing_malformed',
  'blob_listing_too_large',
  'blob_marker_repeated',
  'blob_unreachable',
  'cloud_drive_list_incomplete',
  'cloud_drive_member_missing',
  'cloud_drive_token_key_malformed',
  'cloud_drive_token_missing',
  'cloud_drive_token_not_delegated',
  'cloud_drive_token_person_refused',
  'cloud_drive_token_repeated',
  'box_content_not_ready',
  'box_selection_invalid',
  'box_token_refused',
  'content_changed_while_read',
  'delta_cursor_invalid',
  'extraction_fault',
  'lease_lost',
  'no_handler',
  'page_token_invalid',
  's3_answer_too_large',
  's3_bucket_denied',
  's3_bucket_elsewhere',
  's3_bucket_name_invalid',
  's3_bucket_not_found',
  's3_bucket_refused',
  's3_busy',
  's3_clock_skewed',
  's3_credential_malformed',
  's3_credential_refused',
  's3_cut_off',
  's3_failed',
  's3_listing_malformed',
  's3_not_offered',
  's3_token_missing',
  's3_token_repeated',
  's3_unreachable',
  'scope_gone',
  'scope_unknown',
  'share_denied',
  'share_empty',
  'share_not_a_folder',
  'share_selection_invalid',
  'share_selection_overlaps',
  'share_unreachable',
  'source_not_configured',
  'source_throttled',
  'throttled_retries_exhausted',
  'unexpected_error',
]);

/** Families of diagnostics that end in a code which the database, the protocol or the system defines. */
const DATABASE_DIAGNOSTIC = /^database_(?:[0-9][0-9A-Z]{4}|P0[0-9A-Z]{3}|XX[0-9A-Z]{3})$/;
const STATUS_DIAGNOSTIC = /^http_status_[45][0-9]{2}$/;
const SYSTEM_DIAGNOSTIC = /^share_io_([a-z0-9]{3,16})$/;
/** Of a source that is called by HTTP: the call, and its status or why it has none. */
const callDiagnostic = (source: string, calls: readonly string[]) =>
  new RegExp(
    `^${source}_(?:${calls.join('|')})_(?:[1-5][0-9]{2}|${[...CALL_FAILURES, ...WHOLE_REFUSALS].join('|')})$`,
  );
const CODED_DIAGNOSTICS = [
  DATABASE_DIAGNOSTIC,
  STATUS_DIAGNOSTIC,
  callDiagnostic('graph', GRAPH_CALLS),
  callDiagnostic('cloud_drive', CLOUD_DRIVE_CALLS),
  callDiagnostic('box', BOX_CALLS),
];
const SYSTEM_CODES: ReadonlySet<string> = new Set(
  [...Object.keys(constants.errno), 'UNKNOWN'].map((code) => code.toLowerCase()),
);

/**
 * The diagnostic where it is one of the known codes, else `unclassified`. Not a filter on characters: the name of a
 * file, or a message that quotes one, can be made of the same letters as a code.
 */
export function safeDiagnostic(diagnostic: string): string {
  if (DIAGNOSTICS.has(diagnostic)) return diagnostic;
  if (CODED_DIAGNOSTICS.some((family) => family.test(diagnostic))) return diagnostic;
  const systemCode = SYSTEM_DIAGNOSTIC.exec(diagnostic)?.[1];
  return systemCode !== undefined && SYSTEM_CODES.has(systemCode) ? diagnostic : 'unclassified';
}
