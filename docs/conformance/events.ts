import type { Chapter } from './requirement.ts';

export const EVENTS: Chapter = {
  title: 'Events',
  sections: [
    {
      title: 'Outbound events',
      kind: 'rule',
      requirements: [
        {
          id: 'No event stream',
          says: 'The service sends no named events to integrators.',
          proof: ['contract/endpoints: every endpoint is in the table, with the access that it says'],
          unproved: {
            because: 'beyond',
            why: 'No endpoint takes subscribers. That nothing is sent is not shown by a test.',
          },
        },
      ],
    },
    {
      title: 'Inbound source events',
      kind: 'row',
      requirements: [
        {
          id: 'Change notification',
          says: 'Verified, then compared with those of the last 10 s of the same subscription and type. Else a delta or `reconcile_skipped`.',
          proof: [
            'http/webhooks: start one delta; what repeats within ten seconds is recorded as such',
            'db/reconcile: are those within ten seconds of the last one that was none itself',
            'http/webhooks: another type is no repeat; an unknown type is `other`; `missed` is refused',
          ],
        },
        {
          id: 'reauthorizationRequired, subscriptionRemoved',
          says: 'The subscription becomes `expiring`, `removed`.',
          proof: ['http/webhooks: move the subscription; a wrong state moves nothing and counts nothing'],
        },
        {
          id: 'missed',
          says: 'Forces a delta.',
          proof: [
            'http/webhooks: `missed` forces a delta, repeats no ordinary hint and leaves the status alone',
          ],
        },
        {
          id: 'wrong clientState',
          says: 'A lifecycle event without a right one is dropped silently.',
          proof: ['http/webhooks: move the subscription; a wrong state moves nothing and counts nothing'],
        },
      ],
    },
    {
      title: 'Audit and control events',
      kind: 'rule',
      requirements: [
        {
          id: 'dev_login',
          says: 'Is audited.',
          proof: ['http/auth: is audited as dev_login in the tenant of the principal'],
        },
        {
          id: 'authorization_denied',
          says: 'Is audited.',
          proof: ['http/auth: refuses who lacks the capability and audits the denial with it'],
        },
        {
          id: 'asset_excerpts_read',
          says: 'Is audited.',
          proof: [
            'http/assets: an owner of the asset reads them, which is recorded without a name',
            'http/assets-scanned: an owner reads masked excerpts, and each reading is one audit event',
          ],
        },
        {
          id: 'connector_probe',
          says: 'Is audited.',
          proof: ['http/connector-test: a refused secret is no 500, and nothing says who or where'],
        },
        {
          id: 'scan, config',
          says: 'Their lifecycles are audited.',
          proof: [
            'http/scan-control: pauses, resumes and cancels, and keeps an account of each',
            'http/scans: is audited, and denied to everybody who does not operate the pipeline',
          ],
        },
        {
          id: 'governance, review',
          says: 'Their lifecycles are audited.',
          proof: [
            'http/owners: gives the domain from the next request on, and its end takes it away',
            'http/taxonomy-changes: is drafted, changed and approved by named people, and audited without its words',
            'e2e/owners-day: the auditor finds every answer by ids, no name, and a chain that holds',
          ],
        },
        {
          id: 'analyst, action, model',
          says: 'Their lifecycles are audited.',
          proof: [
            'http/analyst: the audit trail holds no word of a question',
            'http/actions: the sweep executes an approved action, with the events of the approving request',
            'http/rescore: is for who approves releases, and is audited',
          ],
        },
        {
          id: 'Correlation id',
          says: 'Each audit event has it.',
          proof: [
            'http/audit: lists events newest first, with the correlation id of their request',
            'http/webhooks: are audited as what they start, by nobody',
          ],
        },
        {
          id: 'Licensing',
          says: 'Activation, renewal and deactivation are logged and audited.',
          proof: [
            'http/licensing: puts the terms in force and is audited',
            'http/licensing: replaces the token, and keeps the time of the activation',
            'http/licensing: a deactivated license lets no scan start until another is activated',
          ],
        },
      ],
    },
    {
      title: 'Metrics and log events',
      kind: 'row',
      requirements: [
        {
          id: 'http_request',
          says: 'A log event of each request.',
          proof: [
            'http/errors: every request is logged by method, route template, status and correlation id',
          ],
        },
        {
          id: 'delta_resync_required',
          says: 'A log event.',
          proof: ['db/delta: leaves the scope stale until the same campaign has walked it from the cache'],
        },
        {
          id: 'stage_latency_ms:<stage>',
          says: 'Of five stages.',
          proof: ['http/operations: a scan counts each stage, each format that was read and each unit'],
        },
        {
          id: 'stage_outcome:<stage>:<outcome>',
          says: '`computed` and `cache_hit`.',
          proof: ['http/operations: a scan counts each stage, each format that was read and each unit'],
        },
        {
          id: 'extraction:<format>:<state>',
          says: 'By format and content state.',
          proof: ['http/operations: a scan counts each stage, each format that was read and each unit'],
        },
        {
          id: 'graph_throttled:429, graph_throttled:503',
          says: 'Answers of a source that throttles.',
          proof: [
            'db/graph-access: a throttled call waits in every process, and sets when its unit runs again',
            'unit/connectors/m365/graph-client: is waited for as long as it asks, and counted',
          ],
        },
        {
          id: 'work_completed:<kind>',
          says: 'Completed units.',
          proof: ['http/operations: a scan counts each stage, each format that was read and each unit'],
        },
        {
          id: 'work_failed:<retryClass>',
          says: 'Failed attempts.',
          proof: ['db/work: counts each failed attempt by its class'],
        },
        {
          id: 'notification_receive_lag_ms, notification_reconcile_lag_ms',
          says: 'From the event to the receipt, and from there to the end of the reconcile.',
          proof: [
            'http/webhooks: goes the way of a notification and is measured to the end of the delta',
            'db/reconcile: the time to reconcile is that from the receipt to the end of the delta',
          ],
        },
        {
          id: 'change_notification:<outcome>',
          says: 'The outcomes.',
          proof: ['http/webhooks: of an unknown subscription or a wrong state leave nothing but a metric'],
        },
        {
          id: 'change_subscription_created, _renewed, _renew_failed',
          says: 'The lifecycle of subscriptions.',
          proof: [
            'http/notifications: concurrent subscribing makes one subscription, which every caller receives',
            'db/subscriptions: begins once less than 20 minutes remain',
            'db/subscriptions: that fails leads to an error, audited and counted',
          ],
        },
        {
          id: 'change_lifecycle:<event>',
          says: 'Lifecycle events.',
          proof: ['http/webhooks: move the subscription; a wrong state moves nothing and counts nothing'],
        },
        {
          id: 'One process',
          says: 'Counters and histograms are those of the process and begin with it. Those of a worker are not merged in.',
          proof: [
            'unit/observability/metrics: count and observe the specified families, by name',
            'release/worker: a standalone worker does the inventory of a whole tenant, without a queue',
          ],
        },
        {
          id: 'Derived gauges',
          says: 'They come from the database and cover all processes.',
          proof: [
            'http/operations: of the process are the same for all tenants, those of the database are not',
            'db/operations-counts: are exact in every snapshot, whatever workers and people do at once',
          ],
        },
      ],
    },
  ],
};
