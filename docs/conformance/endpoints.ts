import type { Section } from './requirement.ts';

export const ENDPOINTS: readonly Section[] = [
  {
    title: 'All endpoints',
    kind: 'rule',
    requirements: [
      {
        id: 'Method, path, capability',
        says: 'Each endpoint of the tables below has its method and path, and checks its capability.',
        proof: [
          'contract/endpoints: every endpoint is in the table, with the access that it says',
          'contract/endpoints: what this release answers is there',
        ],
      },
      {
        id: 'Paths',
        says: 'All are under `/api/`.',
        proof: ['contract/endpoints: have names and routes that the Functions host takes'],
      },
      {
        id: 'Bodies',
        says: 'They are JSON and validated. A failure is 400 `validation_failed`. The handshake of webhooks is `text/plain`.',
        proof: [
          'http/malformed: any target, method and body gets a documented answer',
          'http/webhooks: echoes the validation token as plain text, decoded as a form is',
        ],
      },
      {
        id: 'Lists',
        says: 'They are bounded, without cursors.',
        proof: [
          'http/list-limits: no list is longer than its limit, and each says that there is more',
          'http/list-limits: every list is placed: crowded here, or left out for a reason',
        ],
      },
      {
        id: 'dev only',
        says: '404 outside the development environment with dev sign-in.',
        proof: [
          'http/auth: exists in development with dev auth only; elsewhere it answers 404',
          'http/auth: is not asked of what exists in development alone: it is not found',
        ],
      },
      {
        id: '94 endpoints in 15 modules',
        says: 'The service exposes 94 endpoints in 15 route modules.',
        proof: [],
        unproved: {
          because: 'outgrown',
          why: 'The service has all endpoints of the tables, and more. [api.md](api.md) lists each.',
        },
      },
    ],
  },
  {
    title: 'Health',
    kind: 'row',
    requirements: [
      {
        id: 'GET /api/health',
        says: '`{status:"ok"}`.',
        proof: ['http/health: liveness is one word and asks nothing'],
      },
      {
        id: 'GET /api/ready',
        says: 'Status, database, environment, integrations and the demo flag. 503 `degraded` without the database.',
        proof: [
          'http/health: reports the database, the environment, demo mode and every integration',
          'http/health: answers 503 in time while the database is gone; liveness goes on',
          'http/health: a mounted share is live, an absent one blocked',
        ],
      },
      {
        id: 'integrations',
        says: 'Fourteen keys, each `mock`, `live`, `blocked` or `disabled`.',
        proof: ['unit/integrations: are reported under the names of the specification, and one of S3'],
        unproved: {
          because: 'outgrown',
          why: 'The report has a fifteenth key, `s3Connector`, for a family that the specification does not have ([ADR 29](adr/0029-keys-of-sources-in-the-readiness-report.md)).',
        },
      },
    ],
  },
  {
    title: 'Readiness',
    kind: 'rule',
    requirements: [
      {
        id: '1',
        says: '`live` only when enabled, and its secrets resolve.',
        proof: [
          'unit/integrations: rule 1: %s is live when enabled and wholly configured',
          'unit/integrations: rule 1: %s is not live when any one of its settings is missing',
        ],
      },
      {
        id: '2',
        says: '`blocked` when enabled and credentials do not resolve.',
        proof: ['unit/integrations: rule 2: %s is blocked when enabled but its secret does not resolve'],
      },
      {
        id: '3',
        says: '`disabled` when the flag is off.',
        proof: [
          'unit/integrations: rule 3: %s is disabled when its flag is off, whatever else is configured',
        ],
      },
      {
        id: '4',
        says: '`labelRead` and `labelWrite` are `blocked`, never `disabled`, while not live.',
        proof: ['unit/integrations: rule 4: %s is blocked, never disabled, while not live'],
      },
      {
        id: '5',
        says: '`idpSignIn` is live, blocked in idp mode, else disabled.',
        proof: [
          'unit/integrations: rule 5: idpSignIn is blocked in idp mode until registered, else disabled',
        ],
      },
      {
        id: '6',
        says: '`changeNotifications` needs flag, credentials and public address. It is `mock` in mock mode.',
        proof: ['unit/integrations: rule 6: changeNotifications needs flag, credentials and public address'],
      },
      {
        id: '7',
        says: 'A source is blocked without a selection, and while de-selected scopes persist.',
        proof: [
          'unit/integrations: rule 7: %s is blocked when enabled without an explicit selection',
          'unit/integrations: rule 7: $name is blocked, not disabled, while de-selected scopes persist',
          'http/health: a source that was switched off while its scopes persist is blocked, not disabled',
        ],
      },
      {
        id: '8',
        says: '`aiProvider` is `mock` until endpoint, deployment and key resolve.',
        proof: ['unit/integrations: rule 8: aiProvider is mock until endpoint, deployment and key resolve'],
      },
      {
        id: '9',
        says: '`connector` is `mock` in mock mode, else live only with tenant, client and secret.',
        proof: ['unit/integrations: rule 9: connector is mock in mock mode, else blocked until registered'],
      },
    ],
  },
  {
    title: 'Auth',
    kind: 'row',
    requirements: [
      {
        id: 'GET /api/auth/mode',
        says: 'The mode report, for everybody.',
        proof: ['http/auth: is shown to everybody, with the banner that dev mode requires'],
      },
      {
        id: 'GET /api/auth/dev/personas',
        says: 'The seeded active principals with their roles.',
        proof: ['http/auth: lists the seeded active principals with their roles'],
      },
      {
        id: 'POST /api/auth/dev/login',
        says: 'Sets the cookie and returns the result. 400 for an unknown id. Audited.',
        proof: [
          'http/auth: is httpOnly, SameSite=Lax, for the whole path, with the absolute expiry',
          'http/auth: answers 400 for an unknown id and sets no cookie',
          'http/auth: is audited as dev_login in the tenant of the principal',
        ],
      },
      {
        id: 'POST /api/auth/logout',
        says: 'Ends the session, clears the cookie, returns `{ok:true}`. Needs the CSRF header while signed in.',
        proof: [
          'http/auth: ends at logout, which clears the cookie and leaves other sessions alone',
          'http/auth: logout without a session answers the same',
          'http/auth: is required of every change made with a session',
        ],
      },
      {
        id: 'GET /api/auth/me',
        says: 'The session principal.',
        proof: ['http/auth: starts a session of the principal in its own tenant'],
      },
      {
        id: 'GET /api/auth/idp/login',
        says: '302 with the code flow and PKCE (S256). 501 until configured. 404 in dev mode.',
        proof: [
          'http/sign-in: sends the code challenge by S256, and neither the verifier nor the secret',
          'http/sign-in: the login answers 501 and the callback a page',
          'http/sign-in: both answer 404 in the mode dev',
        ],
      },
      {
        id: 'GET /api/auth/idp/callback',
        says: 'Completes the flow.',
        proof: ['http/sign-in: starts a session and ends where it began from'],
      },
    ],
  },
];
