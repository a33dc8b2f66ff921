import type { Section } from './requirement.ts';

export const STATES_OF_GOVERNANCE: readonly Section[] = [
  {
    title: 'Change subscription',
    kind: 'transition',
    requirements: [
      {
        id: '(none) → active',
        says: 'Subscribe.',
        proof: [
          'http/notifications: concurrent subscribing makes one subscription, which every caller receives',
        ],
      },
      {
        id: 'active or expiring → active',
        says: 'The sweep renews it with less than 20 minutes left, and the expiry moves.',
        proof: [
          'db/subscriptions: begins once less than 20 minutes remain',
          'unit/notifications/subscription-states: %s leads where the table says, and nowhere else',
        ],
      },
      {
        id: 'active → expiring',
        says: 'Lifecycle event `reauthorizationRequired`.',
        proof: ['http/webhooks: move the subscription; a wrong state moves nothing and counts nothing'],
      },
      {
        id: 'active or expiring → error',
        says: 'A renewal fails: `last_error` is `renew_failed`.',
        proof: [
          'db/subscriptions: that fails leads to an error, audited and counted',
          'unit/notifications/subscription-states: %s leads where the table says, and nowhere else',
        ],
      },
      {
        id: 'active or expiring → expired',
        says: 'No renewal came: the expiry sweep ends it.',
        proof: ['db/subscriptions: ends what no renewal rescued, once, also twice at once'],
      },
      {
        id: 'any → removed',
        says: 'Lifecycle event `subscriptionRemoved`.',
        proof: [
          'http/webhooks: move the subscription; a wrong state moves nothing and counts nothing',
          'unit/notifications/subscription-states: %s leads where the table says, and nowhere else',
        ],
      },
      {
        id: 'removed or error → registered again',
        says: 'Subscribe registers it again. In other states the existing one is returned.',
        proof: [
          'db/subscriptions: after %s it registers again, and notifications of the former one are unknown',
          'db/subscriptions: in every other state the existing one is returned, and the source is not asked',
        ],
        unproved: {
          because: 'decided',
          why: 'An `expired` one is registered again as well: nothing else would bring it back ([states](states.md#change-subscription)).',
        },
      },
      {
        id: 'missed',
        says: 'Forces a delta and does not change the status.',
        proof: [
          'http/webhooks: `missed` forces a delta, repeats no ordinary hint and leaves the status alone',
        ],
      },
      {
        id: 'any order of events',
        says: 'The table holds in any order of events.',
        proof: ['db/subscription-model: subscriptions keep to the specification in any order of events'],
      },
    ],
  },
  {
    title: 'Change notification outcomes',
    kind: 'row',
    requirements: [
      {
        id: 'reconcile_enqueued',
        says: 'A delta was created.',
        proof: ['http/webhooks: start one delta; what repeats within ten seconds is recorded as such'],
      },
      {
        id: 'reconcile_skipped, scan_already_active',
        says: 'A scan of the scope is active.',
        proof: ['http/webhooks: is skipped while a scan is active'],
      },
      {
        id: 'reconcile_skipped, no_delta_cursor',
        says: 'There was no inventory.',
        proof: ['http/webhooks: without an inventory have no cursor to start from'],
      },
      {
        id: 'reconcile_skipped, no_scope',
        says: 'The scope is no longer selected.',
        proof: ['http/webhooks: of a scope that the configuration no longer selects have no scope'],
      },
      {
        id: 'deduplicated',
        says: 'A repeat.',
        proof: ['http/webhooks: start one delta; what repeats within ten seconds is recorded as such'],
      },
      {
        id: 'rejected:unknown_subscription',
        says: 'Counted, and not stored.',
        proof: ['http/webhooks: of an unknown subscription or a wrong state leave nothing but a metric'],
      },
      {
        id: 'rejected:client_state_mismatch',
        says: 'Counted, and not stored.',
        proof: ['http/webhooks: of an unknown subscription or a wrong state leave nothing but a metric'],
      },
    ],
  },
  {
    title: 'Taxonomy',
    kind: 'transition',
    requirements: [
      {
        id: 'draft → approved',
        says: 'Approval of a domain or an information type, with `governance.taxonomy.approve`.',
        proof: [
          'http/taxonomy-changes: is drafted, changed and approved by named people, and audited without its words',
          'http/taxonomy-changes: comes after its domain',
          'http/taxonomy-changes: nobody but a governance admin writes or approves, and each in their own tenant',
        ],
      },
      {
        id: 'Draft generation',
        says: 'Skips names of domains that exist.',
        proof: [
          'http/onboarding: drafts from the profile and the policies, honest about who drafted',
          'http/onboarding: again creates nothing, and says what it skipped',
        ],
      },
    ],
  },
  {
    title: 'Dataset candidate',
    kind: 'transition',
    requirements: [
      {
        id: 'pending → approved',
        says: 'Decided `approved`.',
        proof: ['http/dataset-candidates: approves or rejects a pending label once, and is audited'],
      },
      {
        id: 'pending → rejected',
        says: 'Decided `rejected`.',
        proof: ['http/dataset-candidates: approves or rejects a pending label once, and is audited'],
      },
      {
        id: 'What becomes one',
        says: 'Any form of mine and `not_a_match`. Routing and deferral do not.',
        proof: [
          'http/dataset-candidates: %s becomes a label with the confidence of the model',
          'http/dataset-candidates: that corrects the type is a label for the named and one against the asked type',
          'http/dataset-candidates: %s %o becomes none',
        ],
      },
    ],
  },
  {
    title: 'Action',
    kind: 'transition',
    requirements: [
      {
        id: 'order of operations',
        says: 'Draft with preview and justification, submit, approve, execute once, verify at the source. The finding resolves.',
        proof: [
          'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
          'http/actions: twenty approvals at once execute it once',
          'db/action-model: an action keeps to its states in any order of people, source and crashes',
        ],
        unproved: {
          because: 'live',
          why: 'The label is written to a fake of the suite. Its asynchronous write and its monitor are played by test/db/label-writes.',
        },
      },
      {
        id: '(none) → blocked',
        says: 'A label action without a live write path has a `blockedReason`.',
        proof: [
          'http/action-access: without a live write path a label action is blocked, until there is one',
        ],
      },
      {
        id: 'blocked, submit',
        says: '409.',
        proof: [
          'http/action-access: without a live write path a label action is blocked, until there is one',
        ],
      },
      {
        id: 'draft → awaiting_approval',
        says: 'Submit of a validated draft.',
        proof: [
          'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
        ],
      },
      {
        id: 'awaiting_approval, approve',
        says: 'By somebody else than the requester: executes, then verifies.',
        proof: [
          'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
        ],
      },
      {
        id: 'awaiting_approval → rejected',
        says: 'Approval `reject`.',
        proof: ['http/action-access: a rejected action is over'],
      },
      {
        id: 'approval by requester',
        says: 'Refused.',
        proof: [
          'http/separation-of-duties: no requester of an action decides on it, whatever the roles and the order',
          'http/actions: a person who drafted, submitted or previewed an action does not decide on it',
        ],
      },
      {
        id: 'approved → drifted',
        says: 'The target changed since the preview. It must be previewed again.',
        proof: ['http/actions: a target that is not as previewed has drifted: %s'],
      },
    ],
  },
  {
    title: 'Model release',
    kind: 'transition',
    requirements: [
      {
        id: 'order of operations',
        says: 'Propose, evaluate, approve or reject, promote, roll back.',
        proof: ['http/release-states: %s goes as the table of states says'],
      },
      {
        id: 'promote',
        says: 'Activates the new ensemble and starts a rescore without the source.',
        proof: ['http/releases: makes a new version, rescores all assets, and shows the progress'],
      },
      {
        id: 'rollback',
        says: 'Goes forward and keeps the history.',
        proof: ['http/releases: puts the former values in force as a new version, and keeps the history'],
      },
      {
        id: 'approval by the proposer',
        says: 'Refused with an error of separation of duties.',
        proof: ['http/releases: the proposer cannot %s, and that is audited'],
      },
    ],
  },
  {
    title: 'Other state sets',
    kind: 'row',
    requirements: [
      {
        id: 'Integration mode',
        says: '`mock`, `live`, `blocked`, `disabled`.',
        proof: ['unit/integrations: are reported under the names of the specification, and one of S3'],
      },
      {
        id: 'Data-handling profile',
        says: 'Metadata only, minimized or enhanced evidence. A change counts the configuration version, so the next scan derives evidence again.',
        proof: [
          'http/governance-scanned: a changed profile derives all evidence again, which hides or shows excerpts',
          'http/governance-scanned: the same again changes nothing; who looked at another version is refused',
        ],
      },
    ],
  },
];
