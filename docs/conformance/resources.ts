import type { Chapter } from './requirement.ts';

export const RESOURCES: Chapter = {
  title: 'Resources and their fields',
  sections: [
    {
      title: 'Forms',
      kind: 'rule',
      requirements: [
        {
          id: 'Identifiers',
          says: 'They are opaque strings. Those of assets begin with `ast_`.',
          proof: [
            'http/assets-scanned: what a scan found is listed whole, and each row says what its detail says',
            'unit/kernel/ids: have their prefix and 26 base-32 characters',
          ],
        },
        {
          id: 'Timestamps',
          says: 'They are ISO 8601 strings.',
          proof: ['unit/db/iso-timestamp: says what a Date says, of any moment of four digits'],
        },
        {
          id: 'Every answer',
          says: 'Each has the fields that the API document declares. Each test of the API over HTTP checks that.',
          proof: [
            'contract/endpoints: every answer has a schema, or a media type of its own',
            'http/document-examples: each read without an id answers as it is called',
          ],
        },
      ],
    },
    {
      title: 'Resources',
      kind: 'row',
      requirements: [
        {
          id: 'Error body',
          says: '`error` and `message`; a validation failure has `issues[]` of `{path, message}`; CSRF has `error` alone; an internal error has `error` and `correlationId`.',
          proof: [
            'unit/http/envelopes: the body of %s is what its schema says',
            'http/errors: names the fields that are missing, of a wrong type or out of bounds',
            'http/errors: internal_error: the correlation id and nothing else',
          ],
        },
        {
          id: 'Session principal',
          says: '`principalId`, `tenantId`, `authMode`, `displayName`, `title`, `department`, `roles[]`, `ownedDomains[]`, `csrfToken`.',
          proof: ['http/auth: starts a session of the principal in its own tenant'],
        },
        {
          id: 'Auth mode report',
          says: '`env`, `authMode`, `devBannerRequired`.',
          proof: ['http/auth: is shown to everybody, with the banner that dev mode requires'],
        },
        {
          id: 'Dev login result',
          says: '`ok`, `csrfToken`, `authMode`.',
          proof: ['http/auth: starts a session of the principal in its own tenant'],
        },
        {
          id: 'Organization profile',
          says: '`name`, `industries[]`, `geographies[]`, `description`. Saving returns `{profileId}`.',
          proof: [
            'http/onboarding: is saved once and changed after that, audited without a word of it',
            'http/onboarding: keeps what a body leaves out, and takes what is empty for what it is',
          ],
        },
        {
          id: 'Policy document',
          says: 'Uploaded with `title`, `filename`, `text`. Its sections are parsed, so that mappings can cite them.',
          proof: [
            'http/onboarding: get sections with anchors, which the list shows without the text',
            'http/regulatory-mappings: a mapping keeps the section of the version that it cites',
          ],
        },
        {
          id: 'Domain',
          says: '`name`, `description`, `inclusion`, `exclusion`, status `draft` or `approved`.',
          proof: [
            'http/taxonomy-changes: is drafted, changed and approved by named people, and audited without its words',
          ],
        },
        {
          id: 'Information type',
          says: '`name`, `definition`, `sensitivityRationale`, `expectedLocationNote`, status `draft` or `approved`.',
          proof: [
            'http/taxonomy-changes: says of each change whether inference reads it',
            'http/taxonomy-changes: comes after its domain',
          ],
        },
        {
          id: 'Regulatory mapping candidate',
          says: 'Of a domain: jurisdiction, rationale, perhaps a citation of a policy. Labelled as mapped as relevant, not a legal determination.',
          proof: [
            'http/onboarding: maps regulations of the places, and cites the policy section that names one',
            'http/regulatory-mappings: a mapping keeps the section of the version that it cites',
          ],
        },
        {
          id: 'Owner assignment',
          says: '`principalId`, `domainId`, `kind` (`owner` where none is said), `attestationDays` (1 to 730), state of attestation. Creating returns `{assignmentId}`.',
          proof: [
            'http/owners: has who owns what, and whether it was attested',
            'http/owners: takes a period of 1 to 730 days, and is of an owner where no kind is said',
          ],
        },
        {
          id: 'Source scope',
          says: 'Coverage state, number of assets, status of the delta cursor, expected domain or null, mode.',
          proof: [
            'http/scans: walks all pages, looks at every item, and sets the baseline',
            'http/scans: sets and clears the governed domain',
            'db/coverage-states: coverage: $from, $trigger',
          ],
        },
        {
          id: 'Connector instance',
          says: 'Creating returns `{connectorInstanceId, scopesRegistered, mode}`.',
          proof: ['http/scans: registers the scopes of the fixture tenant, and reuses the instance'],
        },
        {
          id: 'Scan campaign',
          says: 'Scope (none for a rescore), kind, status, units by status, outcomes of stages, its dead letters.',
          proof: [
            'http/scans: walks all pages, looks at every item, and sets the baseline',
            'db/work: moves units, counters, stage counts and completion together',
          ],
        },
        {
          id: 'Work unit',
          says: 'Kind, `logical_key`, `attempt`, `max_attempts` (4), `run_after`, `lease_owner`, status.',
          proof: [
            'db/work-model: units are what a model of them says, whatever is done in whatever order',
            'db/work: retries by class, and buries what is terminal or spent with a safe diagnostic',
          ],
        },
        {
          id: 'Dead letter',
          says: '`id`, retry class, `safe_diagnostic` (a bounded code without names, paths or content), time.',
          proof: [
            'http/operations: counts units by status, and shows the newest fifty dead letters',
            'db/work: retries by class, and buries what is terminal or spent with a safe diagnostic',
            'unit/kernel/safe-text: passes nothing else, however harmless its characters look',
          ],
        },
        {
          id: 'Scanner',
          says: 'Workload id, name, host, capabilities (`["m365"]`), version, status, age of the heartbeat, processed, failed, leases.',
          proof: [
            'http/operations: shows the fleet as it is at this moment',
            'db/fleet: registers once, reports its work with heartbeats, and leaves no trace',
          ],
        },
        {
          id: 'Asset version, not_fetched',
          says: 'Nothing was read of the content yet.',
          proof: ['db/scan-walk: a bug of a reader ends in a dead letter, and is no verdict on the file'],
        },
        {
          id: 'Asset version, available',
          says: 'The content was read.',
          proof: [
            'http/unread-assets: the list is narrowed by content state, and says why content was not read',
            'unit/extractors/text/text-formats: text past the bound is cut, without half a character',
          ],
        },
        {
          id: 'Asset version, partial',
          says: 'It was cut at a bound of the output.',
          proof: ['unit/extractors/text/text-formats: text past the bound is cut, without half a character'],
        },
        {
          id: 'Asset version, unsupported',
          says: 'No extractor claims the format.',
          proof: ['unit/extractors/unread-formats: %s is named, whatever the file calls itself'],
        },
        {
          id: 'Asset version, failed',
          says: 'The extractor failed, or the size is above the bound.',
          proof: [
            'unit/extractors/pool/extraction-pool: a file above the bound is not read',
            'unit/extractors/pool/extraction-pool: a file that outlives its time ends with its format, and the next one is read',
          ],
        },
        {
          id: 'Asset version, inaccessible',
          says: 'The source refuses the content with 403 or 404.',
          proof: [
            'unit/connectors/m365/download: a content that Graph refuses with %s is inaccessible',
            'db/delta: by %s: a refused item is inaccessible, not gone, and is asked for again',
          ],
        },
        {
          id: 'Asset version, content state',
          says: 'Every file ends in one of these states.',
          proof: [
            'unit/extractors/pool/extraction-pool: arbitrary bytes under any name end in a documented state',
            'unit/extractors/pool/extraction-pool: damaged files of every format end in a documented state',
          ],
        },
        {
          id: 'Asset version, signals',
          says: '`sourceVersion` changes with any change of the item, `contentVersion` with its content only.',
          proof: [
            'http/assets-scanned: a rename and a share show as a version and as a grant, and the history stays',
            'http/fixture-mutate: %s, and what takes it back',
          ],
        },
        {
          id: 'Asset detail',
          says: 'Location and versions, label, permissions with a caveat, components of risk, provenance, findings, clusters, `sourceUrl`.',
          proof: [
            'http/assets: history, permissions with caveat, provenance, and no risk that was not computed',
            'http/findings: a scan leaves findings, the most severe first, and each asset says its risk',
            'unit/assets/access: says what is not known',
          ],
        },
        {
          id: 'Asset detail, excerpts',
          says: '`excerpts` are filled only with the capability `asset.evidence.excerpt.read`.',
          proof: [
            'http/assets: an owner of the asset reads them, which is recorded without a name',
            'http/assets: nobody else gets any, auditors included, and nothing is recorded',
          ],
        },
        {
          id: 'Connection graph',
          says: 'Depth 2, at most 30 nodes, a reason for each edge. What the caller may not see has a redacted label and is not expanded.',
          proof: [
            'http/connections: a reader of all sees all, breadth first, the strongest first, with reasons',
            'http/connections: is an empty node after the visible ones, and is not followed',
            'http/connections: shows at most 30 nodes, visible ones first, and says that there is more',
          ],
        },
        {
          id: 'Semantic neighbors',
          says: 'Cosine of embeddings, at least 0.55, the top 8, the same rule of visibility.',
          proof: [
            'http/similar-assets: a neighbour has a cosine of 0.55 at least',
            'http/similar-assets: what a reader may not see takes no place among the eight',
          ],
        },
        {
          id: 'Finding',
          says: '`open`, `acknowledged`, `reopened` or `resolved`, the most severe first.',
          proof: [
            'http/findings: a scan leaves findings, the most severe first, and each asset says its risk',
            'http/findings: a change of access opens a finding, its end resolves it, its return reopens it',
            'http/findings: an acknowledgement ends when the finding resolves or worsens',
          ],
        },
        {
          id: 'Review decision',
          says: 'One of six decisions, with `correctedInformationTypeId`, `routedDomainId`, `note`, `trainingEligible`.',
          proof: [
            'http/review-decisions: that is not well formed is refused',
            'unit/review/decision: a corrected type needs mine_different_type, a routed domain another_domain',
            'unit/review/decision: its note is bounded, nothing else is known, and training is off unless said',
          ],
        },
        {
          id: 'Action',
          says: 'Kind, target, justification, finding, label, task, status, `blockedReason`, requester, verification, states before and after.',
          proof: [
            'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
            'http/action-access: without a live write path a label action is blocked, until there is one',
          ],
        },
        {
          id: 'Dataset candidate',
          says: 'Comes from a decision, as a positive example or a counterexample, with the confidence of that time. `pending`, `approved` or `rejected`.',
          proof: [
            'http/dataset-candidates: %s becomes a label with the confidence of the model',
            'http/dataset-candidates: approves or rejects a pending label once, and is audited',
          ],
        },
        {
          id: 'Dataset snapshot',
          says: '`name`, `description`, `consentScope`, `evalFraction` (0.1 to 0.9).',
          proof: [
            'http/datasets: takes all approved labels, and says what it holds',
            'http/datasets: bad requests and other people are refused',
          ],
        },
        {
          id: 'Dataset snapshot, split',
          says: 'Clusters of near-duplicates are on one side.',
          proof: [
            'http/datasets: keeps copies and near-duplicates on one side',
            'unit/models/split: keeps each cluster on one side, and leaves neither side empty',
          ],
        },
        {
          id: 'Release',
          says: 'Five thresholds and boosts, `datasetSnapshotId`, `rationale`, evaluation against what is in force on held-out labels.',
          proof: [
            'http/releases: has all thresholds that its promotion would put in force, and changes nothing',
            'http/releases: compares both on the held-out labels, for each domain and type',
          ],
        },
        {
          id: 'Change subscription',
          says: 'Five states, `last_error`, mode `mock` or `live`, expiry.',
          proof: [
            'http/notifications: concurrent subscribing makes one subscription, which every caller receives',
            'db/subscriptions: that fails leads to an error, audited and counted',
            'unit/notifications/subscription-states: the table has every status',
          ],
        },
        {
          id: 'Change notification row',
          says: 'Outcome, reason of a rejection, source `live` or `simulated`, `reconcileLagMs`.',
          proof: [
            'db/subscriptions: are listed with the lag of a completed reconcile, which a repeat does not change',
            'http/webhooks: goes the way of a notification and is measured to the end of the delta',
          ],
        },
        {
          id: 'Audit event, chain',
          says: 'Of one tenant, hash-chained, append-only.',
          proof: [
            'db/audit: any single change, removal, insertion or exchange is found',
            'db/audit: can append and read, and cannot change or remove what is there',
            'http/audit: shows nothing of another tenant',
          ],
        },
        {
          id: 'Audit event, content',
          says: 'Category, correlation id, safe details. A denial is `authorization_denied` with the missing capability.',
          proof: [
            'http/audit: lists events newest first, with the correlation id of their request',
            'http/auth: refuses who lacks the capability and audits the denial with it',
            'db/audit: holds details that are not plain identifiers redacted',
          ],
        },
        {
          id: 'Readiness report',
          says: '`status`, `dbOk`, `env`, `integrations`.',
          proof: ['http/health: reports the database, the environment, demo mode and every integration'],
        },
        {
          id: 'Metrics report',
          says: '`counters`, `histograms`, `derived`. The age of the oldest cursor is null where none is valid.',
          proof: [
            'http/operations: show how long units have waited, and what became of a scan',
            'http/operations: of a tenant that has nothing',
            'db/operations-counts: the oldest delta cursor is one that is valid, of a scope that is still selected',
          ],
        },
        {
          id: 'Operations overview',
          says: '`queue`, the latest 50 `deadLetters`, the last 100 `recentLogs` of the tenant and of none, `fleet[]`.',
          proof: [
            'http/operations: counts units by status, and shows the newest fifty dead letters',
            'http/operations: shows the newest log lines of the tenant and of none, never another tenant’s',
            'http/operations: shows the fleet as it is at this moment',
          ],
        },
        {
          id: 'Analyst answer',
          says: 'Interpretation (marked where it is AI output), scope note, rows that link to assets, coverage with blind spots.',
          proof: [
            'http/analyst: rows are those of the list of assets, and link to them',
            'http/analyst: coverage names scopes that were never scanned',
            'http/analyst-ai: its plan is run and marked as AI output',
          ],
        },
      ],
    },
  ],
};
