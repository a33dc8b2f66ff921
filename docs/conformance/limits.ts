import type { Chapter } from './requirement.ts';

export const LIMITS: Chapter = {
  title: 'Limits',
  sections: [
    {
      title: 'Limits',
      kind: 'limit',
      requirements: [
        {
          id: 'Session secret minimum length',
          says: '8 characters.',
          proof: ['unit/config: refuse a session secret of fewer than 8 characters everywhere'],
        },
        {
          id: 'Analyst question length',
          says: '3 to 2000 characters.',
          proof: ['http/analyst: questions have 3 to 2000 characters, and need the capability'],
        },
        {
          id: 'Action justification',
          says: 'At least 10 characters.',
          proof: ['http/action-access: a justification has ten characters at least'],
        },
        {
          id: 'Attestation days',
          says: '1 to 730.',
          proof: ['http/owners: takes a period of 1 to 730 days, and is of an owner where no kind is said'],
        },
        {
          id: 'Eval fraction',
          says: '0.1 to 0.9.',
          proof: [
            'http/datasets: holds out a tenth to nine tenths',
            'http/datasets: bad requests and other people are refused',
          ],
        },
        {
          id: 'Release thresholds and boosts',
          says: 'Each 0 to 1.',
          proof: [
            'http/releases: may set every value to either end',
            'http/releases: with %s is refused with words',
          ],
        },
        {
          id: 'List sizes',
          says: 'Assets 200, findings 200, audit 200, scans 50, actions 100, history 25.',
          proof: [
            'http/list-limits: no list is longer than its limit, and each says that there is more',
            'http/analyst: the history holds the own last 25 questions, the newest first',
          ],
        },
        {
          id: 'Connection graph',
          says: 'Depth 2, at most 30 nodes.',
          proof: [
            'http/connections: a reader of all sees all, breadth first, the strongest first, with reasons',
            'http/connections: shows at most 30 nodes, visible ones first, and says that there is more',
          ],
        },
        {
          id: 'Semantic neighbors',
          says: 'Cosine 0.55 at least, top 8.',
          proof: [
            'http/similar-assets: a neighbour has a cosine of 0.55 at least',
            'http/similar-assets: what a reader may not see takes no place among the eight',
          ],
        },
        {
          id: 'Dead letters in overview',
          says: 'The latest 50.',
          proof: ['http/operations: counts units by status, and shows the newest fifty dead letters'],
        },
        {
          id: 'Recent logs in overview',
          says: '100.',
          proof: [
            'http/operations: shows the newest log lines of the tenant and of none, never another tenant’s',
          ],
        },
        {
          id: 'In-memory log ring',
          says: '500 entries of a process.',
          proof: ['unit/observability/log: are 100 at most, out of the last 500 of the process'],
        },
        {
          id: 'Queue lease',
          says: '60 s.',
          proof: ['db/work: a lease lasts 60 seconds, and 20 units are leased at once'],
        },
        {
          id: 'Max attempts per work unit',
          says: '4.',
          proof: ['db/work: retries by class, and buries what is terminal or spent with a safe diagnostic'],
        },
        {
          id: 'Worker loop, tick',
          says: '500 ms where nothing else is set.',
          proof: ['unit/config: a standalone worker looks every 500 ms and leases 20 units at once'],
        },
        {
          id: 'Worker loop, units',
          says: 'Up to 20 units a tick.',
          proof: ['db/work: a lease lasts 60 seconds, and 20 units are leased at once'],
          unproved: {
            because: 'decided',
            why: 'After a full batch the next one is leased at once, without a tick. The tick is for a worker without work ([ADR 4](adr/0004-doorbells-and-slots.md)).',
          },
        },
        {
          id: 'Worker loop, fleet sweep',
          says: 'Every 20 ticks.',
          proof: [
            'unit/work/worker-loop: sweeps the fleet every twenty ticks beside a drain that does not end',
          ],
        },
        {
          id: 'Fleet thresholds',
          says: 'Stale above 30 s, offline above 90 s.',
          proof: [
            'unit/work/scanner-states: after %i ms of silence is %s, drained %s',
            'db/fleet: goes stale and offline with time, and a heartbeat revives it',
          ],
        },
        {
          id: 'Source throttling',
          says: 'Honours `Retry-After` on 429 and 503, 5 attempts, sleeps 30 s at most.',
          proof: [
            'unit/connectors/m365/graph-client: is waited for as long as it asks, and counted',
            'unit/connectors/m365/graph-client: ends after five tries, with what the source asked last',
            'unit/connectors/m365/retry: no sleep is longer than 30 s, no try is a sixth, and each diagnostic is safe',
          ],
        },
        {
          id: 'Subscription lifetime',
          says: '60 min.',
          proof: [
            'db/subscriptions: begins once less than 20 minutes remain',
            'db/subscriptions: ends what no renewal rescued, once, also twice at once',
          ],
        },
        {
          id: 'Subscription renewal',
          says: 'With less than 20 min left.',
          proof: ['db/subscriptions: begins once less than 20 minutes remain'],
        },
        {
          id: 'Notification dedup window',
          says: '10 s.',
          proof: ['db/reconcile: are those within ten seconds of the last one that was none itself'],
        },
        {
          id: 'Histogram window',
          says: 'The last 2000 samples, at most 500 series.',
          proof: [
            'unit/observability/metrics: look at the last 2000 samples only',
            'unit/observability/metrics: keep 500 series at most, and go on counting in those',
          ],
        },
        {
          id: 'Log string values',
          says: '`^[A-Za-z0-9_.:/-]{1,120}$`, else `[redacted]`.',
          proof: [
            'unit/kernel/safe-text: passes what the log rule allows and nothing else',
            'unit/observability/log: never hold a text outside of the safe pattern, whatever is passed',
          ],
        },
        {
          id: 'Active-user window',
          says: '90 days after the last sign-in.',
          proof: ['http/licensing: people who signed in more than 90 days ago are not billable'],
        },
        {
          id: 'Campaigns per scope',
          says: 'One active at a time.',
          proof: [
            'db/campaigns: %s, however many start one at once',
            'http/webhooks: is skipped while a scan is active',
          ],
        },
        {
          id: 'Diagnostic bundle retention',
          says: '30 days at the vendor.',
          proof: [],
          unproved: {
            because: 'vendor',
            why: 'This product previews the bundle and sends nothing. The customer hands it over, and the vendor keeps it ([support](support.md)).',
          },
        },
      ],
    },
  ],
};
