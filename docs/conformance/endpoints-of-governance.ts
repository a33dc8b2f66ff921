import type { Section } from './requirement.ts';

export const ENDPOINTS_OF_GOVERNANCE: readonly Section[] = [
  {
    title: 'Governance',
    kind: 'row',
    requirements: [
      {
        id: 'GET /api/onboarding/profile',
        says: 'The organization profile.',
        proof: ['http/onboarding: is saved once and changed after that, audited without a word of it'],
      },
      {
        id: 'POST /api/onboarding/profile',
        says: 'Saves it and returns `{profileId}`.',
        proof: ['http/onboarding: is saved once and changed after that, audited without a word of it'],
      },
      {
        id: 'POST /api/onboarding/policy-documents',
        says: 'Takes `title`, `filename`, `text`.',
        proof: ['http/onboarding: get sections with anchors, which the list shows without the text'],
      },
      {
        id: 'GET /api/onboarding/policy-documents',
        says: 'The list.',
        proof: [
          'http/onboarding: get sections with anchors, which the list shows without the text',
          'http/onboarding: are read by those who may, in their own tenant',
        ],
      },
      {
        id: 'POST /api/onboarding/generate-taxonomy',
        says: 'Drafts by the AI provider. The answer has `provider`, `model` and a note that all are drafts.',
        proof: ['http/onboarding: drafts from the profile and the policies, honest about who drafted'],
      },
      {
        id: 'GET /api/governance/taxonomy',
        says: 'Domains with types. A domain-scoped caller sees the own domains.',
        proof: [
          'http/governance: a tenant-wide reader sees every domain with its types, as approved',
          'http/governance: a domain owner sees the owned domains and no other',
        ],
      },
      {
        id: 'PATCH /api/governance/domains/:id',
        says: 'Changes name, description, inclusion, exclusion.',
        proof: [
          'http/taxonomy-changes: that is approved is changed and stays approved; the same again changes nothing',
        ],
      },
      {
        id: 'POST /api/governance/domains/:id/approve',
        says: 'Approves a draft.',
        proof: [
          'http/taxonomy-changes: is drafted, changed and approved by named people, and audited without its words',
        ],
      },
      {
        id: 'PATCH /api/governance/information-types/:id',
        says: 'Changes name, definition, rationale, location note.',
        proof: ['http/taxonomy-changes: says of each change whether inference reads it'],
      },
      {
        id: 'POST /api/governance/information-types/:id/approve',
        says: 'Approves a draft.',
        proof: ['http/taxonomy-changes: comes after its domain'],
      },
      {
        id: 'GET /api/governance/owner-suggestions',
        says: 'Suggestions ranked by evidence.',
        proof: ['http/owners: rank the people by the evidence for them, then whom only the source knows'],
      },
      {
        id: 'POST /api/governance/owners',
        says: 'Assigns, and returns `{assignmentId}`.',
        proof: [
          'http/owners: gives the domain from the next request on, and its end takes it away',
          'http/owners: takes a period of 1 to 730 days, and is of an owner where no kind is said',
        ],
      },
      {
        id: 'GET /api/governance/owners',
        says: 'The list. Of a foreign domain it is empty.',
        proof: [
          'http/owners: has who owns what, and whether it was attested',
          'http/owners: is of owned domains for an owner; of a foreign or unknown one it is empty',
        ],
      },
      {
        id: 'GET /api/governance/labels',
        says: 'The catalog of sensitivity labels.',
        proof: ['http/findings: the catalog of labels is that of the source, the weakest first'],
      },
    ],
  },
  {
    title: 'Scan',
    kind: 'row',
    requirements: [
      {
        id: 'Visible scopes',
        says: 'Readers of the tenant see all. An owner sees scopes that the own domains govern or have assets in.',
        proof: [
          'http/scans: an owner sees scopes of an owned domain, and their scans',
          'http/scans: counts of a shared scope are all for who governs it, own ones for others',
          'http/scans: a foreign governing domain is not named, though the scope is seen',
        ],
      },
      {
        id: 'POST /api/sources/connect',
        says: 'Makes or reuses the instance and registers scopes. Audited.',
        proof: [
          'http/scans: registers the scopes of the fixture tenant, and reuses the instance',
          'http/scans: is audited, and denied to everybody who does not operate the pipeline',
        ],
      },
      {
        id: 'GET /api/sources',
        says: 'Visible scopes with coverage, assets and cursor.',
        proof: [
          'http/scans: walks all pages, looks at every item, and sets the baseline',
          'http/scans: an owner sees scopes of an owned domain, and their scans',
        ],
      },
      {
        id: 'POST /api/sources/:id/expectation',
        says: 'Sets the domain or null. 404 for an unknown scope. Audited.',
        proof: [
          'http/scans: sets and clears the governed domain',
          'http/scans: 404 for an unknown scope, 400 for a domain, 403 for the pipeline operator',
          'http/scans: a change of the expected domain is audited with scope and domain',
        ],
      },
      {
        id: 'POST /api/scans',
        says: 'Starts an inventory or a delta and returns `{campaignId}`. Needs an active license with scanning.',
        proof: [
          'http/scans: 404 for an unknown scope; a second one of the same scope names the first',
          'http/licensing: do not start: %s',
        ],
      },
      {
        id: 'POST /api/scans/:id/:action',
        says: 'Pause, resume, cancel, each with its capability.',
        proof: [
          'http/scan-control: pauses, resumes and cancels, and keeps an account of each',
          'http/scan-control: needs the capability of the action, and a denial is on record by its name',
        ],
      },
      {
        id: 'GET /api/scans',
        says: 'The 50 newest of visible scopes. A rescore is for readers of the tenant.',
        proof: [
          'http/list-limits: no list is longer than its limit, and each says that there is more',
          'http/rescore: shows itself to who sees the whole tenant, and to nobody else',
        ],
      },
      {
        id: 'GET /api/scans/:id',
        says: 'Status, units, outcomes, dead letters. 404 outside visible scopes.',
        proof: [
          'http/scans: walks all pages, looks at every item, and sets the baseline',
          'http/scans: a scan outside of it does not exist, nor does one of another tenant',
        ],
      },
      {
        id: 'POST /api/dev/fixture/mutate',
        says: 'Nine actions on the made-up tenant. Dev only, with `connector.configure`.',
        proof: [
          'http/fixture-mutate: there is none beside a live source, nor outside development',
          'http/fixture-mutate: %s, and what takes it back',
          'unit/connectors/fixture-action: are those of the specification',
        ],
      },
    ],
  },
  {
    title: 'Models',
    kind: 'row',
    requirements: [
      {
        id: 'POST /api/models/rescore',
        says: 'A new version of the ensemble and a rescore without the source.',
        proof: [
          'http/rescore: starts a tenant-wide campaign under the next version of the same thresholds',
          'http/rescore: is for who approves releases, and is audited',
        ],
      },
      {
        id: 'GET /api/models/releases',
        says: 'Releases of ensembles and detectors.',
        proof: [
          'http/release-states: versions of thresholds and detectors are listed for readers of the taxonomy',
        ],
      },
      {
        id: 'GET /api/models/dataset-candidates',
        says: 'By status `pending`, `approved`, `rejected`.',
        proof: [
          'http/dataset-candidates: approves or rejects a pending label once, and is audited',
          'http/dataset-candidates: is refused to others, for unknown labels and for other words',
        ],
      },
      {
        id: 'POST /api/models/dataset-candidates/:id/decide',
        says: '`approved` or `rejected`.',
        proof: ['http/dataset-candidates: approves or rejects a pending label once, and is audited'],
      },
      {
        id: 'GET /api/models/datasets',
        says: 'The snapshots.',
        proof: ['http/datasets: takes all approved labels, and says what it holds'],
      },
      {
        id: 'POST /api/models/datasets',
        says: 'Takes a snapshot.',
        proof: [
          'http/datasets: takes all approved labels, and says what it holds',
          'http/datasets: bad requests and other people are refused',
        ],
      },
      {
        id: 'GET /api/models/governed-releases',
        says: 'Releases with their state.',
        proof: ['http/release-states: of the tenant see all domains and the progress of the rescore'],
      },
      {
        id: 'POST /api/models/releases/propose',
        says: 'Takes `configPatch`, `datasetSnapshotId`, `rationale`.',
        proof: [
          'http/releases: has all thresholds that its promotion would put in force, and changes nothing',
          'http/releases: with %s is refused with words',
        ],
      },
      {
        id: 'POST /api/models/releases/:id/evaluate',
        says: 'Precision, recall and F1 of both.',
        proof: ['http/releases: compares both on the held-out labels, for each domain and type'],
      },
      {
        id: 'POST /api/models/releases/:id/approve',
        says: 'Refused for the proposer.',
        proof: ['http/releases: the proposer cannot %s, and that is audited'],
      },
      {
        id: 'POST /api/models/releases/:id/reject, /promote, /rollback',
        says: 'The other steps, for `model.release.approve`.',
        proof: [
          'http/release-states: %s goes as the table of states says',
          'http/release-states: others than governance admins take no step',
        ],
      },
    ],
  },
  {
    title: 'Review',
    kind: 'row',
    requirements: [
      {
        id: 'GET /api/review/queue',
        says: 'Pending candidates of the own domains.',
        proof: [
          'http/review: holds the pending candidates of the own domains, the most valuable first',
          'http/review: of one domain; of a foreign or unknown one it is empty',
        ],
      },
      {
        id: 'GET /api/review/candidates/:id',
        says: 'With evidence. Excerpts need their capability and are audited. A foreign one is 404.',
        proof: [
          'http/review: comes with its reasons, signals without values, provenance and audited excerpts',
          'http/review: missing, foreign, deleted, other tenant: the same 404 to read and to decide',
        ],
      },
      {
        id: 'POST /api/review/candidates/:id/decision',
        says: 'A decision, revisable within limits.',
        proof: [
          'http/review-decisions: may be revised; every one stays, each answering the inference',
          'http/review-decisions: may not be revised by who saw an earlier revision, once withdrawn, after 30 days',
        ],
      },
      {
        id: 'Keys',
        says: '1 to 6 give the decisions in their order. `j` and `k` move to the next and the previous candidate.',
        proof: [
          'release/console: answers twenty questions by keyboard alone',
          'release/console: the keys j and k move to the next question and back',
        ],
      },
    ],
  },
];
