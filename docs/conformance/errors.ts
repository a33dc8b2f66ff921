import type { Chapter } from './requirement.ts';

export const ERRORS: Chapter = {
  title: 'Errors',
  sections: [
    {
      title: 'Envelope',
      kind: 'rule',
      requirements: [
        {
          id: 'Envelope',
          says: '`{"error", "message"}`.',
          proof: ['unit/http/envelopes: the body of %s is what its schema says'],
        },
        {
          id: 'Correlation id',
          says: 'From `x-svc-correlation` or made. In the log line, in audit events and in bodies of 500.',
          proof: [
            'http/errors: is the one that the caller sent',
            'http/errors: is made where the caller sent none, or one that is no plain identifier',
            'http/errors: internal_error: the correlation id and nothing else',
          ],
        },
        {
          id: 'Codes',
          says: 'Each code has its status.',
          proof: ['unit/http/envelopes: the codes have the statuses of the interface'],
        },
      ],
    },
    {
      title: 'Codes',
      kind: 'row',
      requirements: [
        {
          id: 'validation_failed',
          says: '400, with issues. Also for rules of the domain.',
          proof: [
            'http/errors: names the fields that are missing, of a wrong type or out of bounds',
            'http/errors: covers domain rules: an unknown persona',
            'http/errors: covers domain rules: a delta scan before any inventory',
          ],
        },
        {
          id: 'authentication_required',
          says: '401 without a valid session, and for one of dev mode in production.',
          proof: [
            'http/auth: asks for a session first',
            'http/auth: ends after twelve hours however much it is used',
            'http/auth: of dev mode is refused in production, that of the identity provider is not',
          ],
        },
        {
          id: 'license error',
          says: '402 at the start of a scan without a license for it.',
          proof: [
            'http/license-states: only starts of scans ask for a license; everything else works in every state',
            'http/licensing: do not start: %s',
          ],
        },
        {
          id: 'not_permitted',
          says: '403, audited.',
          proof: ['http/auth: refuses who lacks the capability and audits the denial with it'],
        },
        {
          id: 'csrf_token_invalid',
          says: '403 without a message.',
          proof: ['http/auth: is required of every change made with a session'],
        },
        {
          id: 'not_found',
          says: '404 for what is missing, foreign, dev-only outside dev, and for idp login in dev mode.',
          proof: [
            'http/errors: not_found: a missing resource and one of another tenant are answered alike',
            'http/auth: exists in development with dev auth only; elsewhere it answers 404',
            'http/sign-in: both answer 404 in the mode dev',
          ],
        },
        {
          id: 'conflict, scans',
          says: '409 for a second active campaign and for an illegal pause, resume or cancel.',
          proof: [
            'http/errors: conflict: a scan of the scope is active',
            'http/scan-control: refuses for a %s campaign to %s it, and says so',
          ],
        },
        {
          id: 'conflict, actions and releases',
          says: '409 for the submission of a blocked action and for self-approval.',
          proof: [
            'http/action-access: without a live write path a label action is blocked, until there is one',
            'http/actions: a person who drafted, submitted or previewed an action does not decide on it',
            'http/releases: the proposer cannot %s, and that is audited',
          ],
        },
        {
          id: 'blocked_capability',
          says: '422, names the missing flag and configuration.',
          proof: [
            'http/scans: %s without configuration is blocked, and says what is missing',
            'http/notifications: the live source without flag, address and credentials is refused by their names',
            'http/message-sync: POST /api/%s/sync names the flag and the settings that are missing',
          ],
        },
        {
          id: 'internal_error',
          says: '500 with the correlation id, also for a hard 403 while messages are listed.',
          proof: [
            'http/errors: internal_error: the correlation id and nothing else',
            'http/message-sync-denied: a channel that denies its messages is a 500 with the correlation id, and no more',
            'db/message-sync: whose messages are denied fail the request after the others were stored',
          ],
        },
        {
          id: 'not_configured',
          says: '501 for the login of a provider that is not configured.',
          proof: ['http/sign-in: the login answers 501 and the callback a page'],
        },
        {
          id: '(readiness)',
          says: '503 while the database check fails.',
          proof: ['http/health: answers 503 in time while the database is gone; liveness goes on'],
        },
      ],
    },
    {
      title: 'Behaviours that are not HTTP errors',
      kind: 'rule',
      requirements: [
        {
          id: 'Webhook',
          says: '202, quickly, whatever its items.',
          proof: [
            'http/webhooks: while the database is slow, it is 202, and the work goes on after it',
            'http/webhooks: while the database is away, it is 202 all the same, and no time goes by',
            'http/webhooks: a body that is %s is accepted, and no answer says what is wrong with it',
          ],
        },
        {
          id: 'Probe',
          says: '`ok:false` with a safe detail, never a 500.',
          proof: ['http/connector-test: a refused secret is no 500, and nothing says who or where'],
        },
        {
          id: 'Throttling',
          says: 'Exhausted tries are `throttled_retries_exhausted` in the scan. The unit waits, and dies only if it goes on.',
          proof: [
            'unit/connectors/m365/graph-client: ends after five tries, with what the source asked last',
            'db/graph-access: a throttled call waits in every process, and sets when its unit runs again',
            'db/delta: a source that asks for more than the backoff is left alone until then',
          ],
        },
        {
          id: 'Extraction',
          says: 'Its outcome is a content state, never a silent skip.',
          proof: [
            'unit/extractors/pool/extraction-pool: damaged files of every format end in a documented state',
            'http/unread-assets: the list is narrowed by content state, and says why content was not read',
          ],
        },
        {
          id: 'Chat sync',
          says: '403 or 404 on the folder of files leaves it unknown.',
          proof: ['unit/connectors/chat/channel-files: the folder is unknown while Graph answers %i'],
        },
        {
          id: 'Mail sync',
          says: 'Attachments that cannot be read are an empty list.',
          proof: ['unit/connectors/mail/mail-attachments: a list that is answered with %d is empty'],
        },
      ],
    },
  ],
};
