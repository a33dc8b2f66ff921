/**
 * What the schema cannot say of itself: what each table holds, which query each index serves, what each function of a
 * trigger writes, and how large a table gets. `npm run docs` writes it into `docs/schema.md` beside the columns, which it
 * takes from `test/schema.sql`. A test holds that every table, index and trigger is here, and nothing else.
 */
export type Table = {
  room: string;
  holds: string;
  /** The query that each index serves. Primary keys and unique constraints serve what their names say. */
  indexes?: Readonly<Record<string, string>>;
  /** For a tenant of 1,000,000 assets, as `bench/read-models/fill.ts` makes it: rows, and megabytes of rows and of indexes. */
  perMillionAssets?: { rows: number; tableMb: number; indexMb: number };
};

export const TABLES: Readonly<Record<string, Table>> = {
  action_domains: {
    room: 'actions',
    holds: 'The domains that an action concerns, which decide who sees it.',
    indexes: { action_domains_domain: 'The actions of an owner’s domains' },
  },
  action_transitions: { room: 'actions', holds: 'Every step of an action, with who took it. Append-only.' },
  actions: {
    room: 'actions',
    holds: 'Remediation actions: the requested change, its preview, its approver.',
    indexes: {
      actions_asked_once: 'The action that a repeated request made',
      actions_due: 'Actions whose next attempt is due',
      actions_of_finding: 'The newest action for a finding',
      actions_open_of_asset: 'Whether an action of an asset is open',
      actions_pending: 'Actions that wait for approval, the oldest first',
      actions_recent: 'The list of actions, the newest first',
    },
  },
  analyst_plan_domains: {
    room: 'analyst',
    holds: 'The domains that the author of a saved plan saw, which decide who sees a shared plan.',
  },
  analyst_plans: {
    room: 'analyst',
    holds: 'Plans that people saved under a name.',
    indexes: {
      analyst_plans_name: 'One plan of each name of a person',
      analyst_plans_shared: 'The list of shared plans',
    },
  },
  analyst_queries: {
    room: 'analyst',
    holds: 'The last 25 questions of each person to the analyst.',
    indexes: {
      analyst_queries_asked: 'The oldest questions, to be removed',
      analyst_queries_of_person: 'The history of a person, the newest first',
    },
  },
  ai_reservations: {
    room: 'ai-usage',
    holds: 'What calls of the AI provider that are under way, or were never settled, may cost.',
  },
  ai_usage: {
    room: 'ai-usage',
    holds: 'Calls, tokens and costs of the AI provider by day, task and model.',
  },
  licenses: {
    room: 'licensing',
    holds: 'The entitlement of each tenant, its renewals, and the kept mark of the effective time.',
  },
  assertions: {
    room: 'review',
    holds: 'What the model and people said of an asset. Append-only.',
    indexes: {
      assertions_asset: 'The history of an asset',
      assertions_inference: 'The assertion of an inference',
    },
    perMillionAssets: { rows: 1_192_000, tableMb: 227, indexMb: 268 },
  },
  asset_contents: {
    room: 'similarity',
    holds: 'Hashes of the files inside an asset: attachments, members of archives.',
    indexes: { asset_contents_hash: 'Assets that contain a file' },
  },
  asset_features: {
    room: 'scan',
    holds: 'What was derived from a text: signals, features for inference, excerpts, words for search.',
    indexes: {
      asset_features_excerpts: 'The newest excerpts, on which a new detector is tried',
      asset_features_found: 'The assets in which a detector has found something, for a suppression',
    },
    perMillionAssets: { rows: 600_000, tableMb: 182, indexMb: 94 },
  },
  asset_placements: {
    room: 'landscape',
    holds: 'One row for each active asset, domain and information type, kept by triggers (ADR 12).',
    indexes: {
      asset_placements_by_asset: 'The placements of one asset',
      asset_placements_changed: 'The list of a domain, the newest first',
      asset_placements_label: 'The same, with a label state',
      asset_placements_open: 'The assets of a domain with unresolved findings',
      asset_placements_risk: 'The list of a domain, with a severity',
      asset_placements_type: 'The list of an information type',
    },
    perMillionAssets: { rows: 1_204_000, tableMb: 218, indexMb: 326 },
  },
  asset_risks: {
    room: 'findings',
    holds: 'The newest risk judgement of an asset.',
    perMillionAssets: { rows: 699_000, tableMb: 107, indexMb: 66 },
  },
  asset_scorings: {
    room: 'scan',
    holds: 'The last scoring of an asset: its inputs, its version, and where its result is stored.',
  },
  asset_suppressions: {
    room: 'signals',
    holds: 'The signals of an asset that count, where suppressions take some away.',
  },
  asset_search: {
    room: 'search',
    holds: 'The row by which search finds an asset: words and marks (docs/search.md).',
    indexes: {
      asset_search_by_asset: 'The row of one asset',
      asset_search_words: 'Search by words, domains, types, label and risk',
    },
    perMillionAssets: { rows: 1_000_000, tableMb: 1_132, indexMb: 578 },
  },
  asset_sketches: {
    room: 'similarity',
    holds: 'The signatures by which an asset is compared with others.',
    perMillionAssets: { rows: 20_000, tableMb: 5, indexMb: 2 },
  },
  asset_vectors: {
    room: 'similarity',
    holds: 'The embedding of an asset, in one byte for each dimension.',
    indexes: {
      asset_vectors_cells: 'Semantic neighbors by their bits. Its column `cell` is of the release before.',
      asset_vectors_unsorted: 'None of this release',
    },
  },
  asset_versions: {
    room: 'scan',
    holds: 'What the source said of an asset each time it had changed. Append-only.',
    perMillionAssets: { rows: 1_000_000, tableMb: 182, indexMb: 94 },
  },
  assets: {
    room: 'scan',
    holds: 'Every asset as it was last seen.',
    indexes: {
      assets_by_id: 'One asset',
      assets_left_out: 'Assets of a scope that a rule leaves out',
      assets_changed: 'The list of all assets, the newest first',
      assets_changed_label: 'The same, with a label state',
      assets_changed_risk: 'The same, with a severity',
      assets_changed_content: 'The same, with a content state that is not available',
      assets_decided_copies: 'Decisions on byte-identical copies',
      assets_parent: 'The items of a folder',
      assets_removed: 'Removed assets that are not emptied yet',
      assets_name_start: 'Names that begin with fewer than three letters or digits',
      assets_same_bytes: 'Byte-identical copies of an asset',
      assets_unobserved: 'Assets of a scope that were listed and not looked at yet',
      assets_words: 'Names and paths that contain a text',
    },
    perMillionAssets: { rows: 1_000_000, tableMb: 548, indexMb: 668 },
  },
  audit_checkpoints: { room: 'audit', holds: 'Signed heads of the audit trail. Append-only.' },
  audit_events: {
    room: 'audit',
    holds: 'The audit trail, one hash chain for each tenant. Append-only.',
    indexes: { audit_events_category: 'The trail of one category, the newest first' },
  },
  audit_heads: { room: 'audit', holds: 'The last sequence number and hash of each chain.' },
  audit_set_aside: {
    room: 'audit',
    holds: 'What did not hold when a broken trail was resumed. Append-only.',
  },
  call_budgets: {
    room: 'integrations',
    holds:
      'Until when no process calls a tenant of a source, because it asked to wait. The next migration drops `state`.',
  },
  campaign_ends: { room: 'campaigns', holds: 'Campaigns that ended and are not audited yet.' },
  campaign_left_out: {
    room: 'campaigns',
    holds: 'Items that scans have left out, counted by rule and reason.',
  },
  campaign_stage_counts: { room: 'campaigns', holds: 'Outcomes of stages, counted for each campaign.' },
  campaigns: {
    room: 'campaigns',
    holds: 'Scans and rescores, with their counts of units.',
    indexes: {
      campaigns_active_rescore: 'At most one active rescore of each kind',
      campaigns_active_scope: 'At most one active scan of a scope',
      campaigns_cancelling: 'Cancelled campaigns whose units are not ended yet',
      campaigns_ended: 'The campaigns that ended first, to be removed',
      campaigns_listed: 'The list of campaigns, the newest first',
      campaigns_listed_of_scope: 'The same, of one scope',
      campaigns_newest_of_scope: 'The newest campaign of a scope',
      campaigns_of_scope: 'Whether a scope was scanned since a moment',
      campaigns_routine: 'The oldest campaigns that lists leave out, to be removed',
      campaigns_scheduled: 'At most one scan for each time that was due',
    },
  },
  candidates: {
    room: 'review',
    holds: 'Questions to owners: is this asset of your domain, and of this type?',
    indexes: {
      candidates_refused: 'The assets that nobody has taken so far',
      candidates_answered: 'The answers of a domain to questions of the model, the newest first',
      candidates_by_asset: 'The candidates of one asset',
      candidates_by_value: 'The queue of a domain, the most valuable answer first',
      candidates_confirmed: 'Confirmed assets of a domain',
      candidates_decision: 'The candidates that a decision answered',
      candidates_representatives: 'Open questions of a domain about representatives',
      candidates_scopes: 'The domains of the assets of a scope',
      candidates_sent: 'Questions that colleagues sent to a domain',
      candidates_tying: 'The assets of a domain',
      candidates_waiting: 'How long questions of a domain have waited',
    },
    perMillionAssets: { rows: 841_000, tableMb: 218, indexMb: 369 },
  },
  change_notifications: {
    room: 'notifications',
    holds: 'Received change notifications, with their outcome.',
    indexes: {
      change_notifications_accepted: 'Repeated notifications of a subscription',
      change_notifications_campaign: 'The notifications that a campaign answered',
      change_notifications_received: 'Old notifications, for the release before',
      change_notifications_recent: 'The list of notifications, the newest first',
    },
  },
  change_subscriptions: {
    room: 'notifications',
    holds: 'Subscriptions to the changes of a scope.',
    indexes: {
      change_subscriptions_hinted: 'Subscriptions that were notified and not scanned yet',
      change_subscriptions_recent: 'The list of subscriptions, the newest first',
      change_subscriptions_running: 'Subscriptions that expire next',
    },
  },
  connector_instances: { room: 'integrations', holds: 'One connector of each source family and its mode.' },
  custom_detector_versions: {
    room: 'governance',
    holds: 'Every version of a detector of the tenant. Append-only.',
  },
  custom_detectors: { room: 'governance', holds: 'The detectors that a tenant defined.' },
  dead_letters: {
    room: 'campaigns',
    holds: 'Units that failed for good, with a safe diagnostic.',
    indexes: {
      dead_letters_campaign: 'The dead letters of a campaign',
      dead_letters_recent: 'The list of dead letters, the newest first',
      dead_letters_unit: 'The dead letter of a unit',
    },
  },
  dataset_candidates: {
    room: 'models',
    holds: 'Labels from owners’ decisions, with the curators’ verdict.',
    indexes: {
      dataset_candidates_by_status: 'The list of labels with a status, the newest first',
      dataset_candidates_recent: 'The list of labels, the newest first',
      dataset_candidates_revised: 'Labels in snapshots whose decision was revised',
      dataset_candidates_standing: 'One label in force for each asset and type',
    },
  },
  dataset_snapshot_items: {
    room: 'models',
    holds: 'The labels of a snapshot, each with its cluster and side. Append-only.',
    indexes: { dataset_snapshot_items_of_candidate: 'The snapshots that contain a label' },
  },
  dataset_snapshots: {
    room: 'models',
    holds: 'Fixed sets of approved labels, split into training and held out. Append-only.',
    indexes: { dataset_snapshots_recent: 'The list of snapshots, the newest first' },
  },
  decision_excerpts: {
    room: 'review',
    holds: 'The excerpts that a decision was taken on.',
    indexes: { decision_excerpts_oldest: 'The oldest, to be removed' },
  },
  decisions: {
    room: 'review',
    holds: 'What owners answered, with the evidence that they saw. Append-only.',
    indexes: {
      decisions_by_id: 'One decision',
      decisions_by_principal: 'The decisions of a person, the newest first',
      decisions_corrected: 'Corrections to a type, of an asset',
      decisions_recent: 'The list of decisions, the newest first',
      decisions_routed: 'Questions about an asset that were sent to a domain',
    },
    perMillionAssets: { rows: 351_000, tableMb: 74, indexMb: 128 },
  },
  delta_listings: { room: 'scan', holds: 'Assets that a running delta by comparison found unchanged.' },
  domain_days: { room: 'landscape', holds: 'Changed assets of a domain, by day.' },
  domains: {
    room: 'governance',
    holds: 'Domains of the taxonomy.',
    indexes: { domains_name: 'One domain of each name' },
  },
  ensembles: {
    room: 'models',
    holds: 'Versions of the thresholds and weights. One is active.',
    indexes: { ensembles_active: 'The active version' },
  },
  findings: {
    room: 'findings',
    holds: 'Findings about assets, with their state.',
    indexes: {
      findings_all: 'The list of findings, the most severe first',
      findings_by_asset: 'The findings of one asset',
      findings_no_owner: 'Findings that an owner’s assignment may resolve',
      findings_status: 'The list of findings in a state',
      findings_unresolved: 'The list of unresolved findings',
    },
    perMillionAssets: { rows: 100_000, tableMb: 18, indexMb: 49 },
  },
  fingerprint_keys: {
    room: 'signals',
    holds: 'The key of each tenant for fingerprints of values. Whoever has it can test guesses of values.',
  },
  fixture_items: {
    room: 'integrations',
    holds: 'Items of the development sources.',
    indexes: { fixture_items_changes: 'What changed in a development source' },
  },
  fixture_scopes: { room: 'integrations', holds: 'Scopes of the development sources.' },
  inferences: {
    room: 'review',
    holds: 'What the model said of an asset, with its reasons. Append-only.',
    perMillionAssets: { rows: 841_000, tableMb: 265, indexMb: 164 },
  },
  information_types: {
    room: 'governance',
    holds: 'Information types of the taxonomy.',
    indexes: { information_types_name: 'One type of each name in a domain' },
  },
  landscape_cells: {
    room: 'landscape',
    holds: 'Counts of assets by domain, type, scope, provenance, label and risk.',
    indexes: {
      landscape_cells_domain: 'The largest cells of a domain',
      landscape_cells_largest: 'The largest cells of the tenant',
    },
    perMillionAssets: { rows: 63_000, tableMb: 9, indexMb: 10 },
  },
  not_found_counts: { room: 'audit', holds: 'Answers `not_found`, counted until they are audited.' },
  message_attachments: {
    room: 'messages',
    holds: 'Attachments of messages: the document that a link is, or what detectors found in a copy.',
    indexes: {
      message_attachments_backing: 'The messages that link to a document',
      message_attachments_hash: 'The messages with a copy of a content',
    },
  },
  message_containers: {
    room: 'messages',
    holds: 'Channels and mailboxes, how many people can read them, and when they are synced next.',
    indexes: { message_containers_due: 'The containers that are due for a sync, the longest first' },
  },
  message_feeds: { room: 'messages', holds: 'The cursors of each container.' },
  message_findings: {
    room: 'messages',
    holds: 'Findings about channels and messages, for operators.',
    indexes: {
      message_findings_open: 'The list of open findings, the newest first',
      message_findings_level: 'The most sensitive identifiers in a container',
      message_findings_message: 'The findings of a message',
    },
  },
  message_syncs: {
    room: 'messages',
    holds: 'When the containers of each family of messages are listed again.',
  },
  messages: {
    room: 'messages',
    holds: 'Messages: a masked preview and what detectors found. No text, subject or address.',
    indexes: {
      messages_newest: 'The list of messages of a container, the newest first',
      messages_thread: 'The thread of a message',
      messages_walk: 'The messages that a whole walk did not show',
      messages_with_preview: 'The oldest previews, to be removed',
    },
  },
  model_releases: {
    room: 'models',
    holds: 'Proposed changes of the thresholds and weights, with their evaluation and state.',
    indexes: {
      model_releases_in_force: 'The release in force',
      model_releases_recent: 'The list of releases, the newest first',
    },
  },
  organization_profiles: { room: 'governance', holds: 'What the organization is and where it works.' },
  owner_assignments: {
    room: 'governance',
    holds: 'Who owns, stewards or deputizes for a domain, and when they attested to it.',
    indexes: {
      owner_assignments_active: 'At most one active assignment of each kind',
      owner_assignments_attestation_due: 'Attestations that are due',
      owner_assignments_domain: 'The owners of a domain',
    },
  },
  placement_changes: {
    room: 'landscape',
    holds: 'Changes of counts that no timer has folded into the counts yet.',
    indexes: { placement_changes_domain: 'The changes of a domain' },
  },
  policy_document_versions: { room: 'governance', holds: 'Every version of a policy document. Append-only.' },
  policy_documents: {
    room: 'governance',
    holds: 'Policy documents.',
    indexes: { policy_documents_title: 'One document of each title' },
  },
  principal_roles: {
    room: 'people',
    holds: 'Roles: granted by a person, or claimed by the identity provider.',
  },
  principals: {
    room: 'people',
    holds: 'People and service principals, with the identity that they sign in with.',
    indexes: { principals_directory: 'The person with an id of the directory' },
  },
  regulatory_mappings: {
    room: 'governance',
    holds: 'Which regulation a domain falls under. A draft until a person approves it.',
    indexes: {
      regulatory_mappings_list: 'The list of mappings',
      regulatory_mappings_once: 'One mapping of a domain and a regulation',
    },
  },
  retention_counts: {
    room: 'retention',
    holds: 'How many rows sweeps removed, by kind, until it is audited.',
  },
  representative_walks: {
    room: 'review',
    holds: 'How far the sweep has looked for groups about which nobody has been asked.',
  },
  review_changes: { room: 'review', holds: 'Assets whose related candidates are to be counted again.' },
  release_transitions: { room: 'models', holds: 'Every step of a release, with who took it. Append-only.' },
  scan_rules: {
    room: 'narrowing',
    holds: 'Patterns of what every scan leaves out: of a scope, of a family, or of all.',
  },
  scanners: {
    room: 'work',
    holds: 'Worker processes that have reported.',
    indexes: { scanners_heartbeat: 'Scanners, the last heartbeat first' },
  },
  schema_migrations: { room: 'db', holds: 'Applied migrations and their checksums.' },
  schedule_runs: {
    room: 'campaigns',
    holds: 'The newest run of each scope and kind by a schedule, with what became of it.',
    indexes: {
      schedule_runs_of_target: 'The newest runs of a schedule',
      schedule_runs_waiting: 'Runs that have yet to start, the oldest first',
    },
  },
  schedule_times: { room: 'campaigns', holds: 'When scans are due by each schedule.' },
  schedules: {
    room: 'campaigns',
    holds: 'When scans of a scope, a family or all start and rest, and how much they read.',
  },
  scopes: {
    room: 'sources',
    holds: 'Sites, drives and shares, with coverage and delta cursor.',
    indexes: {
      scopes_expected_domain: 'Scopes that are expected to hold a domain',
      scopes_inaccessible: 'Scopes that their source is to be asked for again',
    },
  },
  sensitivity_labels: { room: 'sources', holds: 'The labels of the source, in their order.' },
  sessions: {
    room: 'auth',
    holds: 'Sessions, by the hash of their cookie.',
    indexes: {
      sessions_by_principal: 'The sessions of a person, the last used first',
      sessions_ended: 'Expired sessions, to be removed',
      sessions_id: 'One session, by its public id',
    },
  },
  sign_in_codes: {
    room: 'people',
    holds: 'Setup codes and invitations, by their hash. Each is used once.',
    indexes: { sign_in_codes_by_principal: 'The invitations of a person' },
  },
  sketch_bands: {
    room: 'similarity',
    holds: 'Bands of signatures: assets that share one may be alike.',
    indexes: { sketch_bands_decided: 'Decided assets that share a band' },
    perMillionAssets: { rows: 318_000, tableMb: 24, indexMb: 37 },
  },
  source_folders: {
    room: 'scan',
    holds: 'Folders of sources whose items name their folder by id. Paths are derived from them.',
    indexes: {
      source_folders_parent: 'The folders in a folder',
      source_folders_sharing: 'Folders with changed access, and their items that were not read since',
      source_folders_unsettled: 'Folders that were renamed, moved or deleted and not followed up yet',
    },
  },
  source_usage: {
    room: 'campaigns',
    holds: 'What scans read of a scope in an hour, where a ceiling bounds it. Former hours are removed.',
  },
  suppression_sets: {
    room: 'suppressions',
    holds: 'The version of the set of active suppressions of each tenant.',
  },
  suppressions: {
    room: 'suppressions',
    holds: 'Rules that exclude false identifiers. Their content never changes.',
    indexes: {
      suppressions_expiring: 'The rules whose time is over',
      suppressions_newest: 'The list of rules',
      suppressions_once: 'One proposed or active rule of each kind and target',
    },
  },
  tasks: {
    room: 'actions',
    holds: 'Tasks that actions created inside the service.',
    indexes: { tasks_recent: 'The list of tasks, the newest first' },
  },
  tenant_counters: {
    room: 'operations',
    holds: 'Counters of a tenant, in several rows so that writers do not wait.',
  },
  telemetry_sent: {
    room: 'telemetry',
    holds: 'The telemetry that was sent, as it was sent.',
    indexes: { telemetry_sent_oldest: 'What goes first, and the newest for the list' },
  },
  tenants: {
    room: 'tenancy',
    holds:
      'Tenants, with their identity provider, their data-handling profile and the pseudonym of their telemetry.',
    indexes: { tenants_idp_issuer: 'The tenant of an issuer' },
  },
  trend_days: {
    room: 'landscape',
    holds: 'The counts of the tenant and of each domain at the last measurement of a day.',
    indexes: { trend_days_measured: 'The oldest counts, to be removed' },
  },
  vector_generations: { room: 'similarity', holds: 'Of the release before. The next migration drops it.' },
  work_units: {
    room: 'work',
    holds: 'Units of work, with lease and retries.',
    indexes: {
      work_units_growing: 'Whether a campaign may still get more units',
      work_units_due: 'Units of a campaign that can be leased',
      work_units_lease_end: 'Leases that ran out',
    },
  },
};

/** Why a trigger is one: no writer may break what it keeps, or several writers need what it derives (ADR 28). */
export const TRIGGER_CLASSES = ['append-only', 'order of states', 'rule', 'derived'] as const;

/** What the function of a trigger does, by its name. */
export const TRIGGER_EFFECTS: Readonly<Record<string, readonly [(typeof TRIGGER_CLASSES)[number], string]>> =
  {
    keep_platform_admin: ['rule', 'Refuses to remove the last active platform admin of a tenant'],
    refuse_change: ['append-only', 'Refuses every update and deletion'],
    refuse_incomplete_snapshot: ['rule', 'Refuses items beyond those that the snapshot counts'],
    refuse_transition: ['order of states', 'Refuses a transition that the table of states does not allow'],
    refuse_other_preview: ['rule', 'Refuses another preview after the decision'],
    refuse_self_decision: ['rule', 'Refuses a decision by a person who took part in the request'],
    keep_ended_assignment: ['rule', 'Refuses changes of an ended assignment'],
    end_acknowledgement: ['derived', 'Clears the acknowledgement of the row'],
    put_finding_forward: ['derived', 'Sets the status of the inserted row to `open`'],
    set_candidate_scope: ['derived', 'Sets scope, status and severity of the asset in the row'],
    note_revision: [
      'derived',
      'Notes in the row which words its revision covers, and the revision of its standing',
    ],
    note_words: ['derived', 'Counts in the row the changes of the words that owners read'],
    settle_deleted_asset: ['derived', '`findings`: resolves those of the asset'],
    follow_asset: ['derived', '`candidates`: status and severity of the asset; `review_changes`'],
    note_candidates: ['derived', '`review_changes`'],
    note_sketches: ['derived', '`review_changes`'],
    count_assets: ['derived', '`tenant_counters`'],
    count_campaign: ['derived', '`tenant_counters`'],
    count_campaigns: ['derived', '`tenant_counters`'],
    note_campaign_end: ['derived', '`campaign_ends`'],
    place_inserted: ['derived', 'Notes the assets for the commit'],
    place_changed: ['derived', 'Notes the asset for the commit'],
    place_updated_assets: [
      'derived',
      'Notes the asset for the commit, where status, label, risk, change, name, path or format differ',
    ],
    place_updated_candidates: [
      'derived',
      'Notes the asset for the commit, where status, decision, band or confidence differ',
    ],
    place_updated_findings: [
      'derived',
      'Notes the asset for the commit, where a finding is resolved or reopened',
    ],
    place_noted: ['derived', 'At the commit: `asset_placements` and `asset_search` of all noted assets'],
    count_placements: ['derived', '`placement_changes`'],
  };
