import type { Section } from './requirement.ts';

export const STATES_OF_WORK: readonly Section[] = [
  {
    title: 'Scan campaign',
    kind: 'transition',
    requirements: [
      {
        id: 'running → paused',
        says: 'Pause stops leasing. Units in flight run to completion. Audited in `scan`.',
        proof: [
          'http/scan-control: pauses, resumes and cancels, and keeps an account of each',
          'db/campaigns: stops leasing and lets running units finish; resume completes the rest',
          'http/scan-control: needs the capability of the action, and a denial is on record by its name',
        ],
      },
      {
        id: 'paused → running',
        says: 'Resume goes on leasing.',
        proof: ['http/scan-control: pauses, resumes and cancels, and keeps an account of each'],
      },
      {
        id: 'paused → completed',
        says: 'Resume completes at once if every unit finished meanwhile.',
        proof: [
          'http/scan-control: one that finished while it was paused ends with its resume',
          'db/campaigns: stops leasing and lets running units finish; resume completes the rest',
        ],
      },
      {
        id: 'running, paused or pending → cancelled',
        says: 'Pending units are cancelled. Leased units finish their attempt.',
        proof: [
          'db/campaigns: counts at once, however many units it takes to mark',
          'db/campaigns: lets running units finish; failed ones and those they added count as cancelled',
          'db/campaign-model: campaigns and units follow the model and the tables of states',
        ],
      },
      {
        id: 'any other state',
        says: 'Pause, resume and cancel answer 409, say why and change nothing.',
        proof: ['http/scan-control: refuses for a %s campaign to %s it, and says so'],
      },
      {
        id: 'one active campaign of a scope',
        says: 'A second start of the scope answers 409 and changes nothing.',
        proof: [
          'http/scans: 404 for an unknown scope; a second one of the same scope names the first',
          'db/campaigns: %s, however many start one at once',
        ],
      },
      {
        id: 'legal transitions',
        says: 'The database refuses a transition that is not in the table.',
        proof: ['contract/states: the database allows the transitions of the tables and no others'],
      },
    ],
  },
  {
    title: 'Campaign kinds',
    kind: 'row',
    requirements: [
      {
        id: 'inventory',
        says: 'Walks pages, has a `process_asset` unit for each item. The last page stores the cursor and sets `baseline`.',
        proof: ['http/scans: walks all pages, looks at every item, and sets the baseline'],
      },
      {
        id: 'delta',
        says: 'One `delta_run` against the stored cursor. Success sets `delta`.',
        proof: [
          'http/scans: after %s reads neither content nor features again',
          'http/scans: adds and removes what the source added and removed',
        ],
      },
      {
        id: 'delta, condition',
        says: 'Without a completed inventory it answers 400.',
        proof: ['http/scans: is refused as a delta before there was one'],
      },
      {
        id: 'delta, by notification',
        says: 'A valid change notification creates one.',
        proof: ['http/webhooks: start one delta; what repeats within ten seconds is recorded as such'],
      },
      {
        id: 'rescore',
        says: 'Of the whole tenant, a `rescore_asset` unit for each active asset, from retained features alone.',
        proof: [
          'db/rescore: has one unit per active asset and enqueues them in bounded transactions',
          'db/rescore: scores every asset from retained features and never touches the source',
        ],
      },
      {
        id: 'rescore, started by',
        says: 'Promotion, rollback and `POST /api/models/rescore`.',
        proof: [
          'http/releases: makes a new version, rescores all assets, and shows the progress',
          'http/releases: puts the former values in force as a new version, and keeps the history',
          'http/rescore: starts a tenant-wide campaign under the next version of the same thresholds',
        ],
      },
    ],
  },
  {
    title: 'Delta resync',
    kind: 'transition',
    requirements: [
      {
        id: 'valid → resync_required',
        says: 'The source answers 410: the scope is `stale`, `resync:page:0` is enqueued in the same campaign, `delta_resync_required` is logged, unchanged assets are cache hits.',
        proof: [
          'db/delta: leaves the scope stale until the same campaign has walked it from the cache',
          'unit/connectors/graph-reads: a cursor that is gone begins again, with a location: %s',
          'http/scans: an invalid cursor walks the scope again in the same campaign',
        ],
      },
    ],
  },
  {
    title: 'Work unit',
    kind: 'transition',
    requirements: [
      {
        id: 'pending → leased',
        says: 'Once `run_after` has passed and the campaign is not paused. 60 s. Each lease counts an attempt.',
        proof: [
          'db/work: counts the attempt, starts the campaign, and leaves nothing for a second worker',
          'db/work-model: units are what a model of them says, whatever is done in whatever order',
        ],
      },
      {
        id: 'leased → completed',
        says: 'The handler succeeded.',
        proof: ['db/work: drains a campaign, runs units that units enqueue, and completes it'],
      },
      {
        id: 'leased → re-leasable',
        says: 'The lease expired: any worker may take it.',
        proof: ['db/work: an expired lease may be taken by anybody, and the first holder settles nothing'],
      },
      {
        id: 'leased → pending, scanner offline',
        says: 'After 90 s without a heartbeat, at once, without lease owner.',
        proof: ['db/fleet: comes only when the scanner is offline, and leaves the units of others alone'],
      },
      {
        id: 'leased → dead',
        says: 'The class is terminal or the attempts are spent. A dead letter is written, never by a worker that lost its lease.',
        proof: [
          'db/work: retries by class, and buries what is terminal or spent with a safe diagnostic',
          'db/work: an expired lease may be taken by anybody, and the first holder settles nothing',
          'db/fleet: refuses what a paused process settles on its return, and makes it active',
        ],
      },
      {
        id: 'leased → pending, failure',
        says: 'The class is not terminal and attempts remain. It waits as its class says.',
        proof: ['db/work: retries by class, and buries what is terminal or spent with a safe diagnostic'],
      },
      {
        id: 'pending → cancelled',
        says: 'The campaign was cancelled.',
        proof: ['db/campaigns: counts at once, however many units it takes to mark'],
      },
      {
        id: 'failed',
        says: 'The word is in the schema and is never written.',
        proof: ['db/work-model: units are what a model of them says, whatever is done in whatever order'],
      },
    ],
  },
  {
    title: 'Retry classes',
    kind: 'row',
    requirements: [
      {
        id: 'unsupported, corrupt, policy_denied, permanent',
        says: 'Dead at once.',
        proof: [
          'unit/work/retry-policy: is the table for every class and attempt, and dead once the attempts are spent',
        ],
      },
      {
        id: 'throttled',
        says: '500 ms × 8 × attempt.',
        proof: ['unit/work/retry-policy: %s backs off as specified'],
      },
      {
        id: 'transient, auth, any other',
        says: '500 ms × 2^(attempt − 1).',
        proof: ['unit/work/retry-policy: %s backs off as specified'],
      },
      {
        id: 'classifier',
        says: 'The worker assigns `transient`, `permanent` and `unsupported` alone. Throttling and refused credentials appear as `transient`.',
        proof: [],
        unproved: {
          because: 'decided',
          why: 'Each class is assigned where its cause is known: `throttled` and `auth` too ([ADR 9](adr/0009-failure-classes.md)). The delays are those of the table.',
        },
      },
      {
        id: 'Enqueue',
        says: 'Idempotent on tenant, campaign and `logical_key`.',
        proof: ['db/work: is a no-op for a logical key that the campaign has'],
      },
      {
        id: 'At least once',
        says: 'The queue may deliver again. Handlers are idempotent.',
        proof: [
          'db/crash: workers that are killed, and units that kill them: all settles, nothing twice',
          'db/crash-doorbell: doorbells lost, doubled and rung in vain: all settles, nothing twice',
          'http/scans: again finds everything in the cache, and adds neither versions nor inferences',
        ],
      },
    ],
  },
  {
    title: 'Scanner fleet',
    kind: 'row',
    requirements: [
      {
        id: 'active',
        says: 'A heartbeat within 30 s. It leases work.',
        proof: [
          'db/fleet: goes stale and offline with time, and a heartbeat revives it',
          'unit/work/scanner-states: after %i ms of silence is %s, drained %s',
        ],
      },
      {
        id: 'stale',
        says: 'No heartbeat for more than 30 s. It is flagged and keeps its leases.',
        proof: [
          'db/fleet: goes stale and offline with time, and a heartbeat revives it',
          'db/fleet: comes only when the scanner is offline, and leaves the units of others alone',
        ],
      },
      {
        id: 'offline',
        says: 'No heartbeat for more than 90 s. Its units are pending at once.',
        proof: [
          'db/fleet: goes stale and offline with time, and a heartbeat revives it',
          'db/fleet: comes only when the scanner is offline, and leaves the units of others alone',
        ],
      },
      {
        id: 'draining',
        says: 'Set by a drain. Heartbeats do not make it active.',
        proof: ['db/fleet: leases nothing more, finishes what it holds, and lasts through silence'],
      },
      {
        id: 'Registration',
        says: 'An upsert: a restart under the same id makes the row active.',
        proof: ['db/fleet: a restart under the same id is one active row and settles nothing of before'],
      },
    ],
  },
];
