import type { Section } from './requirement.ts';

export const ENDPOINTS_OF_READING: readonly Section[] = [
  {
    title: 'Analyst',
    kind: 'row',
    requirements: [
      {
        id: 'POST /api/analyst/query',
        says: 'A question of 3 to 2000 characters, a planner, `{answer}`.',
        proof: [
          'http/analyst: rows are those of the list of assets, and link to them',
          'http/analyst: questions have 3 to 2000 characters, and need the capability',
        ],
      },
      {
        id: 'GET /api/analyst/history',
        says: 'The own last 25 questions.',
        proof: ['http/analyst: the history holds the own last 25 questions, the newest first'],
      },
      {
        id: 'Plan',
        says: 'Typed and validated. Tenant and domains are set by the server, so no plan widens its scope.',
        proof: [
          'http/analyst: a plan with ids of other domains finds nothing of them',
          'http/analyst-random: no question of any person fails or shows a foreign row',
          'db/analyst-oracle: a plan has the rows, counts, sums and groups of the definition',
        ],
      },
      {
        id: 'planner ai',
        says: 'The provider sees visible names alone, as data that is not trusted.',
        proof: [
          'http/analyst-ai: it sees names of the asker’s domains as data, and no ids',
          'http/analyst-ai: a plan that obeys an order is refused, and nothing is looked up',
        ],
        unproved: {
          because: 'live',
          why: 'The provider is a scripted one. What a live model plans is not known here.',
        },
      },
      {
        id: 'Full text',
        says: 'AND, OR and NEAR are words.',
        proof: [
          'http/analyst: operators in words are literal',
          'unit/analyst/literal-words: operators and quotes in words to search for are words or nothing',
        ],
      },
    ],
  },
  {
    title: 'Actions',
    kind: 'row',
    requirements: [
      {
        id: 'POST /api/actions',
        says: 'Three kinds. Justification of 10 characters. A label to set, a title for a task.',
        proof: [
          'http/action-access: a draft with a bad %s',
          'http/action-access: a justification has ten characters at least',
          'http/actions: an internal task is created once for the owners of the domain, who move it',
        ],
      },
      {
        id: 'GET /api/actions',
        says: 'The 100 newest. `action.approve` and `audit.read` see all, others those of owned domains.',
        proof: [
          'http/action-access: owners see the actions of their domains, approvers and auditors all, others none',
          'http/action-access: the list ends after a hundred, newest first, then by id, and says so',
        ],
      },
      {
        id: 'POST /api/actions/:id/submit',
        says: 'Asks for approval.',
        proof: [
          'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
          'http/action-access: what would change nothing is drafted, and not submitted',
        ],
      },
      {
        id: 'POST /api/actions/:id/approval',
        says: '`approve` or `reject`, a reason that is empty where none is given.',
        proof: [
          'http/actions: a label is drafted, approved, written once and verified; its finding resolves',
          'http/action-access: a rejected action is over',
        ],
      },
      {
        id: 'POST /api/actions/:id/repreview',
        says: 'A new preview after a drift.',
        proof: ['http/actions: a target that is not as previewed has drifted: %s'],
      },
    ],
  },
  {
    title: 'Read models',
    kind: 'row',
    requirements: [
      {
        id: 'GET /api/home',
        says: 'Posture of each owned domain, and sections by capability.',
        proof: [
          'http/home: shows an owner the state of their domains, and of no other',
          'http/home: has for each role the sections of its capabilities',
          'http/home-scanned: home counts what changed in seven days after it was first seen, and each once',
        ],
      },
      {
        id: 'GET /api/landscape',
        says: 'Cells by domain, type, scope, provenance, label state and severity.',
        proof: [
          'http/home: counts each asset once in each of its domains, by its firmest type',
          'http/home: shows an owner their own domains and nothing that others have',
          'db/placements: has the largest cells first, for any limit and before any folding',
        ],
      },
      {
        id: 'GET /api/assets',
        says: 'At most 200, by `q`, `informationTypeId`, `labelState`, `riskSeverity`.',
        proof: [
          'http/list-limits: no list is longer than its limit, and each says that there is more',
          'db/asset-filters: a list has the assets that its filters mean, in order, and their number',
          'http/assets: a domain owner sees what ties a candidate to the domain, and only that domain',
        ],
      },
      {
        id: 'GET /api/assets/:id',
        says: 'The detail. 404 for missing or not visible. Reading excerpts is audited as `asset_excerpts_read`.',
        proof: [
          'http/assets: history, permissions with caveat, provenance, and no risk that was not computed',
          'http/assets: missing, deleted, of a foreign domain or of another tenant: the same 404',
          'http/assets: an owner of the asset reads them, which is recorded without a name',
        ],
      },
      {
        id: 'GET /api/assets/:id/connections',
        says: 'The graph of connections.',
        proof: [
          'http/connections: a reader of all sees all, breadth first, the strongest first, with reasons',
          'http/connections: is no root: 404 as for missing or foreign assets, 403 without capability',
        ],
      },
      {
        id: 'GET /api/assets/:id/semantic-neighbors',
        says: 'The neighbors.',
        proof: [
          'http/similar-assets: neighbours are the nearest that the reader may see, with their cosine',
          'http/similar-assets: missing, deleted or foreign: the same 404; without the capability 403',
        ],
      },
      {
        id: 'GET /api/findings',
        says: 'At most 200. Open, acknowledged and reopened where no status is asked for, `all` with resolved.',
        proof: [
          'http/list-limits: no list is longer than its limit, and each says that there is more',
          'http/findings: the list has what is not resolved, and with status all the rest too',
        ],
      },
      {
        id: 'GET /api/ops/overview',
        says: 'The overview of operations.',
        proof: [
          'http/operations: counts units by status, and shows the newest fifty dead letters',
          'http/operations: is for operators and auditors, and denied to others, which is audited',
        ],
      },
      {
        id: 'GET /api/ops/metrics',
        says: 'The report of metrics.',
        proof: ['http/operations: show how long units have waited, and what became of a scan'],
      },
      {
        id: 'GET /api/audit',
        says: 'Hash-chained events of the tenant, by category.',
        proof: [
          'http/audit: is filtered by category',
          'http/audit: is for auditors only; every refusal is itself an event',
          'http/audit: reports a whole chain: count, head, no break',
        ],
      },
    ],
  },
  {
    title: 'Notifications and webhooks',
    kind: 'row',
    requirements: [
      {
        id: 'POST /api/admin/notifications/subscribe',
        says: 'Returns the existing subscription unless removed or error. 422 without prerequisites.',
        proof: [
          'http/notifications: concurrent subscribing makes one subscription, which every caller receives',
          'http/notifications: the live source without flag, address and credentials is refused by their names',
          'db/subscriptions: in every other state the existing one is returned, and the source is not asked',
        ],
      },
      {
        id: 'POST /api/admin/notifications/renew',
        says: 'A sweep by hand.',
        proof: ['http/notifications: a sweep by hand renews what has less than 20 minutes left, and says so'],
      },
      {
        id: 'GET /api/admin/notifications/subscriptions',
        says: 'The subscriptions.',
        proof: [
          'http/notifications: concurrent subscribing makes one subscription, which every caller receives',
          'http/notifications: only who configures connectors subscribes and renews; who reads operations sees',
        ],
      },
      {
        id: 'GET /api/admin/notifications/recent',
        says: 'Outcome, source and lag of each.',
        proof: ['http/webhooks: goes the way of a notification and is measured to the end of the delta'],
      },
      {
        id: 'POST /api/dev/notifications/simulate',
        says: 'Drives receiver and reconcile with a forced mock subscription. Dev only.',
        proof: [
          'http/webhooks: goes the way of a notification and is measured to the end of the delta',
          'http/webhooks: is for those who are signed in, in their own tenant, in development',
        ],
      },
      {
        id: 'POST /api/webhooks/graph/notifications',
        says: 'Echoes the token as text. Else checks `clientState` of each item. 202, quickly.',
        proof: [
          'http/webhooks: echoes the validation token as plain text, decoded as a form is',
          'http/webhooks: of an unknown subscription or a wrong state leave nothing but a metric',
          'http/webhooks: while the database is slow, it is 202, and the work goes on after it',
        ],
        unproved: {
          because: 'live',
          why: 'No vendor has called this receiver. The fake of the suite and the documented bodies do.',
        },
      },
      {
        id: 'POST /api/webhooks/graph/lifecycle',
        says: 'Three lifecycle events, trusted alike.',
        proof: [
          'http/webhooks: move the subscription; a wrong state moves nothing and counts nothing',
          'http/webhooks: `missed` forces a delta, repeats no ordinary hint and leaves the status alone',
        ],
      },
    ],
  },
  {
    title: 'Endpoints without a stated payload',
    kind: 'row',
    requirements: [
      {
        id: 'POST /api/admin/connector/test',
        says: 'Gets an app-only token and reads. `ok:false` with a safe detail, never a 500. Audited as `connector_probe` in `config`.',
        proof: [
          'http/connector-test: Microsoft 365 is tested with a token of its own, and names what is missing',
          'http/connector-test: a refused secret is no 500, and nothing says who or where',
          'http/connector-test: only who runs the service may test a source, and the family must exist',
        ],
        unproved: { because: 'live', why: 'The authority and the suite are fakes.' },
      },
      {
        id: 'POST /api/chat/sync, /api/mail/sync',
        says: 'Sync of chat and mail, for `connector.configure`.',
        proof: [
          'http/message-sync: POST /api/%s/sync stores the messages of the made-up company once',
          'http/message-sync: only who may configure connectors may sync',
        ],
      },
      {
        id: 'GET /api/controlplane/telemetry-preview',
        says: 'The exact payload.',
        proof: [
          'http/telemetry: is, byte for byte, what the preview showed, and it is kept to be looked at',
          'http/telemetry: needs telemetry.manage, and the preview telemetry.read',
        ],
      },
      {
        id: 'POST /api/controlplane/activate-online',
        says: 'Activation with a code that counts once.',
        proof: [
          'http/licensing: asks the configured service, and the code holds once',
          'http/licensing: of many requests with one code exactly one succeeds',
        ],
        unproved: {
          because: 'live',
          why: 'The vendor is this product’s own vendor command, not a deployed service.',
        },
      },
      {
        id: 'GET /api/support/diagnostics/preview',
        says: 'A local bundle. Nothing is sent.',
        proof: [
          'http/diagnostics: the bundle has versions, readiness, counters, log lines and slowest statements',
          'http/diagnostics: no value of a setting, a statement or a request is in it, and no name',
        ],
      },
      {
        id: 'GET /api/governance/ai-usage',
        says: 'Tokens and estimated cost by task.',
        proof: [
          'http/ai-usage: a draft is counted with the tokens that the service reports',
          'http/ai-usage: who runs, governs or audits the service reads it, and nobody else',
        ],
      },
      {
        id: 'Chat and mail views',
        says: 'They need `operations.read`.',
        proof: ['http/messages: %s is for operators and auditors'],
      },
    ],
  },
];
