/** The closed sets of words that the engine, the database, the metrics and the logs have in common. */
export const UNIT_KINDS = ['inventory_page', 'delta_run', 'process_asset', 'rescore_asset'] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];
/** If a unit of these kinds is dead, a part of the scope was not listed. */
export const LISTING_KINDS = ['inventory_page', 'delta_run'] as const satisfies readonly UnitKind[];

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

/**
 * What a process cannot do because a part of its own fails. `database_away`: the database does not answer or takes no
 * connection. `database_refuses`: it refuses to write, because its disk is full, its memory is short or it is read-only.
 * `schema_behind`: it lacks migrations of this release. `no_resources`: the process lacks memory, disk or handles.
 * `no_threads`: no extraction thread starts.
 */
export const OWN_PROBLEMS = [
  'database_away',
  'database_refuses',
  'schema_behind',
  'no_resources',
  'no_threads',
] as const;
export type OwnProblem = (typeof OWN_PROBLEMS)[number];

/** Of risks and findings, from the least to the most severe. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Of actions. */
export const ACTION_STATUSES = [
  'draft',
  'blocked',
  'awaiting_approval',
  'approved',
  'executing',
  'verified',
  'failed',
  'rejected',
  'cancelled',
  'drifted',
] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Why a sign-in through the identity provider did not start a session. */
export const SIGN_IN_REFUSALS = [
  'not_configured',
  'expired',
  'other_browser',
  'refused_by_provider',
  'provider_unreachable',
  'not_available',
  'token_invalid',
  'too_many_groups',
  'code_invalid',
  'identity_in_use',
  'deactivated',
  'no_access',
  'failed',
] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

/**
 * The calls of Microsoft Graph, as metrics and diagnostics name them. `download` and `monitor` go to addresses that Graph
 * gives, `token` to the authority.
 */
export const GRAPH_CALLS = [
  'sites_all',
  'site',
  'site_by_path',
  'site_drives',
  'site_permissions',
  'drive',
  'user_drive',
  'delta',
  'item',
  'content',
  'permissions',
  'labels_extract',
  'label_assign',
  'label_catalogue',
  'organization',
  'users',
  'user',
  'user_manager',
  'groups',
  'group_members',
  'group_owners',
  'subscriptions',
  'subscription_create',
  'subscription_renew',
  'subscription_delete',
  'team',
  'channels',
  'channel',
  'team_members',
  'channel_members',
  'channel_delta',
  'channel_messages',
  'channel_replies',
  'channel_files',
  'shared_item',
  'mail_folder',
  'mail_folders',
  'mail_delta',
  'mail_message',
  'mail_attachments',
  'mail_attachment',
  'batch',
  'download',
  'monitor',
  'token',
] as const;
export type GraphCall = (typeof GRAPH_CALLS)[number];

/** The calls of the cloud drive, as diagnostics name them. `token` goes to the authority. */
export const CLOUD_DRIVE_CALLS = [
  'drive',
  'files',
  'file',
  'permissions',
  'start_token',
  'changes',
  'content',
  'labels',
  'label',
  'export',
  'people',
  'person',
  'groups',
  'group_members',
  'download',
  'token',
] as const;
export type CloudDriveCall = (typeof CLOUD_DRIVE_CALLS)[number];
/** The calls of Box. */
export const BOX_CALLS = [
  'me',
  'users',
  'folder',
  'items',
  'folder_collaborations',
  'file',
  'file_collaborations',
  'content',
  'classification',
  'classifications',
  'events',
  'groups',
  'group_memberships',
  'download',
  'token',
] as const;
export type BoxCall = (typeof BOX_CALLS)[number];

/** The sources whose calls are counted, by the names of their calls. */
export const CALLS_OF = { graph: GRAPH_CALLS, cloud_drive: CLOUD_DRIVE_CALLS, box: BOX_CALLS } as const;
export type CalledSource = keyof typeof CALLS_OF;
export type SourceCall = (typeof CALLS_OF)[CalledSource][number];

/** How a call of a source ended: the class of its status, or no answer at all. */
export const CALL_OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'no_answer'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The statuses with which a source may ask to wait. Google does it with 403 too. */
export const SOURCE_THROTTLINGS = ['403', '429', '503'] as const;
export type SourceThrottling = (typeof SOURCE_THROTTLINGS)[number];

/** Why a call of a source failed that has no status, or was not made. */
export const CALL_FAILURES = [
  'unreachable',
  'timeout',
  'too_large',
  'malformed',
  'link_refused',
  'value_refused',
  'not_allowed',
] as const;
export type CallFailureReason = (typeof CALL_FAILURES)[number];

/**
 * Why a source that is called by HTTP refused everything, and not what was asked for. `no_reason`: the answer names none, so
 * it came from something in between, such as a proxy.
 */
export const WHOLE_REFUSALS = [
  'api_not_enabled',
  'scope_missing',
  'domain_policy',
  'daily_limit',
  'no_reason',
] as const;

/**
 * Why an entry is no item. `shortcut`: it points at an item of another scope, which is that item. `no_content`: it is
 * neither a file nor a folder. `unreadable`: it has no id, or no name. `path_bound`: it is a folder whose path is too long
 * or too deep, so that nothing in it is an item.
 */
export const LEFT_OUT = ['shortcut', 'no_content', 'unreadable', 'path_bound'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/**
 * Why a scan leaves an item out that its source lists. `rule`: a rule of the operator matches its path. The others: the
 * scan was narrowed, and the item is in another folder, or has another format, size or age.
 */
export const SCAN_LEFT_OUT = ['rule', 'folder', 'format', 'size', 'age'] as const;
export type ScanLeftOut = (typeof SCAN_LEFT_OUT)[number];

/** Why content was not read, or not wholly. docs/extraction.md says what to do about each. */
export const CONTENT_REASONS = [
  'ocr_off',
  'unknown_format',
  'unknown_encoding',
  'encrypted',
  'package',
  'malware',
  'archived',
  'no_download',
  'size_bound',
  'time_bound',
  'memory_bound',
  'output_bound',
  'member_bound',
  'partly_visible',
  'sampled',
  'damaged',
  'corrupt',
] as const;
export type ContentReason = (typeof CONTENT_REASONS)[number];

/**
 * Why a source refuses a whole scope. `malformed_id`: it no longer takes the id for one. `locked`: locked or archived.
 * `unreachable`: it is there, as far as anybody knows, and cannot be read now.
 */
export const SCOPE_REFUSALS = ['not_found', 'malformed_id', 'denied', 'locked', 'unreachable'] as const;
export type ScopeRefusal = (typeof SCOPE_REFUSALS)[number];

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What a connector can belong to. */
export const SOURCE_FAMILIES = [
  'm365',
  'drive',
  'blob',
  's3',
  'smb',
  'sql',
  'cloud_drive',
  'file_box',
  'chat',
  'mail',
] as const;

/** The families whose messages are synced. They hold no assets. */
export const MESSAGE_FAMILIES = [
  'chat',
  'mail',
] as const satisfies readonly (typeof SOURCE_FAMILIES)[number][];

/** Roles of people, as the specification names them. */
export const ROLES = [
  'platform_admin',
  'governance_admin',
  'domain_owner',
  'remediation_approver',
  'auditor',
] as const;
export type Role = (typeof ROLES)[number];
