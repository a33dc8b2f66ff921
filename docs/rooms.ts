/**
 * The rooms of `core/`, top to bottom. A room imports what stands below it and nothing else;
 * `test/contract/imports.test.ts` holds the code to it, and `npm run docs` writes it into `docs/architecture.md`.
 */
export const ROOMS: readonly Room[] = [
  {
    floor: 'door',
    name: 'commands',
    holds: 'What is run from a terminal: the standalone worker, migrations, verification of an audit export',
  },
  {
    floor: 'door',
    name: 'http',
    holds: '`endpoint` (declare), the pipeline in its one order, errors, the OpenAPI document',
  },
  { floor: 'door', name: 'runtime.ts', holds: 'Composition root: configuration to parts, once per process' },
  {
    floor: 'areas',
    name: 'exports',
    holds: 'Assets, findings and the audit trail as CSV and NDJSON',
    face: ['export-format.ts'],
  },
  { floor: 'areas', name: 'home', holds: 'What a person sees first', face: ['home.ts'] },
  {
    floor: 'areas',
    name: 'actions',
    holds: 'Remediation: draft, preview, approval, execution; tasks',
    face: ['action-list.sql.ts', 'action-schema.ts', 'action-states.ts', 'task-states.ts', 'tasks.sql.ts'],
  },
  {
    floor: 'areas',
    name: 'operations',
    holds: 'Readiness, counts, the overview for whoever runs the service',
    face: ['metrics-report.ts', 'overview.ts'],
  },
  { floor: 'areas', name: 'models', holds: 'Thresholds and their versions', face: [] },
  {
    floor: 'areas',
    name: 'scan',
    holds: 'Handlers of work units: walk a scope, process one asset, score it again',
    face: [
      'analysis-pool.ts',
      'asset-state.sql.ts',
      'kept-connectors.ts',
      'observe-label.ts',
      'scan-handlers.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'review',
    holds: 'Candidates, decisions, what is asked again',
    face: [
      'candidate-schema.ts',
      'decision.ts',
      'decision-list.sql.ts',
      'decisions-on-copies.sql.ts',
      'destinations.sql.ts',
      'explanation.ts',
      'reconsider.ts',
      'record-inferences.sql.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'notifications',
    holds: 'Subscriptions to changes at the source, and what their notifications start',
    face: ['follow-up.ts', 'notification-list.sql.ts', 'notifications.sql.ts', 'subscription-list.sql.ts'],
  },
  {
    floor: 'areas',
    name: 'campaigns',
    holds: 'Start, schedule, pause, resume, cancel and list campaigns; dead letters',
    face: [
      'audit-campaign-ends.ts',
      'campaign-schema.ts',
      'campaigns.sql.ts',
      'dead-letters.sql.ts',
      'start-scan.ts',
      'walk-tx.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'sources',
    holds: 'Scopes: register, list, expect a domain',
    face: ['scope-schema.ts', 'scopes.sql.ts', 'shown-scopes.ts'],
  },
  {
    floor: 'areas',
    name: 'landscape',
    holds: 'Counts by domain, type and exposure; domains without an owner',
    face: ['cells.sql.ts', 'domains-without-owner.sql.ts'],
  },
  {
    floor: 'areas',
    name: 'search',
    holds: 'The list of assets, by words and filter; the index of words',
    face: ['asset-list.sql.ts', 'newest-placements.sql.ts', 'searched-words.ts'],
  },
  {
    floor: 'areas',
    name: 'assets',
    holds: 'One asset in detail: classification, provenance, excerpts, connections',
    face: [
      'asset-detail-schema.ts',
      'asset-schema.ts',
      'classification.sql.ts',
      'connection-schema.ts',
      'excerpts.sql.ts',
      'provenance.sql.ts',
      'same-content.sql.ts',
      'semantic-neighbors.sql.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'findings',
    holds: 'Risk of an asset; findings: open, resolve, acknowledge',
    face: [
      'finding-list.sql.ts',
      'next-standing.ts',
      'findings-by-asset.sql.ts',
      'level-of-type.sql.ts',
      'recompute.ts',
      'risk.ts',
      'risk.sql.ts',
      'sensitivity.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'governance',
    holds: 'Taxonomy, owners, policies, custom detectors, settings',
    face: [
      'approved-domain.sql.ts',
      'attestation.ts',
      'custom-detectors.ts',
      'custom-detectors.sql.ts',
      'drafts.sql.ts',
      'labels.sql.ts',
      'onboarding-progress.ts',
      'organization-profile.sql.ts',
      'owners.ts',
      'owners.sql.ts',
      'policy-documents.ts',
      'regulatory-mappings.ts',
      'settings.sql.ts',
      'suggest-owners.ts',
      'taxonomy-schema.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'people',
    holds: 'People and service principals: register, invite, roles, deactivate; the directory',
    face: ['ask-directory.ts', 'principals.sql.ts', 'register-person.ts', 'search-directory.ts'],
  },
  {
    floor: 'areas',
    name: 'similarity',
    holds: 'Sketches, vectors, near-duplicates and neighbours',
    face: [
      'comparable.ts',
      'find-neighbours.sql.ts',
      'find-similar.sql.ts',
      'sketch.ts',
      'sketches.ts',
      'store-comparable.sql.ts',
      'store-vector.sql.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'inference',
    holds: 'From features to scores: contributions, the ensemble, what is scored again',
    face: [
      'active-ensemble.sql.ts',
      'approved-taxonomy.sql.ts',
      'contributions.ts',
      'features.ts',
      'inference.ts',
      'packed.ts',
      'plan-rescore.ts',
      'taxonomy-index.ts',
    ],
  },
  {
    floor: 'areas',
    name: 'integrations',
    holds: 'What the configuration connects: readiness of each integration, connectors made of it',
    face: ['connector-for.ts', 'directory-for.ts', 'integrations.ts', 'label-writer-for.ts'],
  },
  {
    floor: 'areas',
    name: 'visibility',
    holds: 'What a reader may see, as SQL',
    face: ['asset-by-id.sql.ts', 'visibility.sql.ts', 'visible-asset.sql.ts', 'within-domains.sql.ts'],
  },
  {
    floor: 'areas',
    name: 'auth',
    holds: 'Sign-in and sessions',
    face: [
      'access-token.sql.ts',
      'active-grantee.sql.ts',
      'cookie.ts',
      'grants.sql.ts',
      'identity-provider.ts',
      'session-list.sql.ts',
      'session.sql.ts',
    ],
  },
  { floor: 'engine', name: 'platform', holds: 'Azure services: the queue of doorbells' },
  {
    floor: 'engine',
    name: 'work',
    holds: 'Units, leases, settling, retries, doorbells, the fleet of scanners',
  },
  { floor: 'engine', name: 'tenancy', holds: 'Tenants, and work done for each of them' },
  { floor: 'plugins', name: 'connectors', holds: 'One connector per source family' },
  { floor: 'plugins', name: 'extractors', holds: 'Text out of files, one family of formats each' },
  { floor: 'plugins', name: 'detectors', holds: 'Identifiers, secrets and names in a text' },
  { floor: 'plugins', name: 'ai', holds: 'Providers of embeddings and drafts' },
  { floor: 'foundations', name: 'observability', holds: 'Logs, metrics and the fields that they may carry' },
  { floor: 'foundations', name: 'audit', holds: 'The hash chain: append, checkpoint, verify, export' },
  {
    floor: 'foundations',
    name: 'db',
    holds: 'The only importer of `pg`: pool, transactions, SQL, migrations',
  },
  { floor: 'foundations', name: 'config-table.ts', holds: 'The settings as a table, for the README' },
  { floor: 'foundations', name: 'config.ts', holds: 'The only reader of the environment' },
  { floor: 'foundations', name: 'authz', holds: 'Roles, capabilities, principals' },
  { floor: 'foundations', name: 'controlplane', holds: 'The version of the product' },
  { floor: 'foundations', name: 'kernel', holds: 'No I/O: ids, errors, clock, safe text, words' },
];

export const FLOORS = {
  door: 'Who comes in: requests and commands',
  areas: 'What the product does: rules in plain files, SQL in `*.sql.ts`',
  engine: 'Leased work, and what it stands on',
  plugins: 'Import the kernel and their own interface only',
  foundations: 'What everything stands on',
} as const;

export type Room = {
  /** A folder of `core/`, or a file there. */
  name: string;
  floor: keyof typeof FLOORS;
  holds: string;
  /** Of an area: the modules that other rooms of `core/` may import, and do. */
  face?: readonly string[];
};
