import type { Chapter } from './requirement.ts';

export const AUTHENTICATION: Chapter = {
  title: 'Authentication',
  sections: [
    {
      title: 'Sessions and modes',
      kind: 'rule',
      requirements: [
        {
          id: '1, cookie',
          says: '`svc_session`: `httpOnly`, `SameSite=Lax`, path `/`, `Secure` in production.',
          proof: [
            'http/auth: is httpOnly, SameSite=Lax, for the whole path, with the absolute expiry',
            'http/auth: is Secure in production',
          ],
        },
        {
          id: '1, value',
          says: 'An id signed by HMAC, which leads to a row.',
          proof: [
            'http/auth: does not hold when any character of it is changed',
            'http/auth: signed rightly but without a row behind it is no session',
            'http/auth: carries an id that the database does not hold',
          ],
        },
        {
          id: '1, identity',
          says: 'Tenant, roles and domains are loaded with each request. What a client says of itself is never trusted.',
          proof: [
            'http/auth: loads roles and owned domains again with each request',
            'http/auth: is who the database says, whatever the caller sends',
          ],
        },
        {
          id: '2, token',
          says: 'Each POST, PUT, PATCH and DELETE with a session needs its token in `x-svc-csrf`, else 403 with `error` alone.',
          proof: [
            'http/auth: is required of every change made with a session',
            'unit/http/session-cookie: the CSRF token must be the very one, for every changing method',
            'http/auth: of another session does not do',
          ],
        },
        {
          id: '2, without a session',
          says: 'Requests without a session skip the check.',
          proof: [
            'http/auth: is not asked of reads, nor of callers without a session',
            'http/webhooks: asks no session for a token, holds or not, and looks none up',
          ],
        },
        {
          id: '3, dev mode',
          says: 'Personas and dev login exist in development with dev auth alone.',
          proof: ['http/auth: exists in development with dev auth only; elsewhere it answers 404'],
        },
        {
          id: '3, unseeded',
          says: 'An empty list of personas means a database that was not seeded.',
          proof: ['http/auth: nobody is listed where nobody was seeded'],
        },
        {
          id: '4, boot',
          says: 'The process refuses to start with dev auth in production.',
          proof: ['unit/config: refuse dev sign-in in production', 'release/production: %s %s is not there'],
        },
        {
          id: '4, requests',
          says: 'A session of dev mode is 401 in production.',
          proof: [
            'http/auth: of dev mode is refused in production, that of the identity provider is not',
            'http/auth: of dev mode is refused in production even when the boot guard was passed',
          ],
        },
        {
          id: '5, flow',
          says: 'Authorization code with PKCE (S256).',
          proof: [
            'http/sign-in: starts a session and ends where it began from',
            'http/sign-in: sends the code challenge by S256, and neither the verifier nor the secret',
            'contract/identity-provider: a wrong verifier is refused',
          ],
          unproved: {
            because: 'live',
            why: 'The providers are a certified one that runs in the tests, and a scripted one. No tenant of a vendor is reached.',
          },
        },
        {
          id: '5, signature',
          says: 'The ID token is verified against the key set before a claim is trusted.',
          proof: [
            'http/sign-in-attacks: changed after it was signed',
            'http/sign-in-attacks: signed with a key that the provider does not list',
            'http/sign-in-attacks: unsigned (alg none)',
          ],
        },
        {
          id: '5, identity',
          says: 'Issuer and subject, never the e-mail.',
          proof: [
            'unit/auth/claims: is issuer and subject as they are, character by character',
            'http/sign-in: a changed name, address or department changes what is displayed alone',
          ],
        },
        {
          id: '5, configuration',
          says: 'Until tenant, client, secret reference and redirect resolve, login is 501 `not_configured`.',
          proof: [
            'http/sign-in: the login answers 501 and the callback a page',
            'unit/integrations: rule 5: idpSignIn is blocked in idp mode until registered, else disabled',
          ],
        },
        {
          id: '6, production',
          says: 'Boot fails where `SVC_SESSION_SECRET` is unset or the development default.',
          proof: ['unit/config: refuse production without a session secret, or with the development default'],
        },
        {
          id: '6, length',
          says: 'Every environment refuses a secret of fewer than 8 characters.',
          proof: ['unit/config: refuse a session secret of fewer than 8 characters everywhere'],
        },
        {
          id: '6, rotation',
          says: 'Rotating the secret ends all sessions and the verification of subscriptions.',
          proof: [
            'http/auth: does not hold under another secret: rotating it ends all sessions',
            'http/rotation: changes at once where the previous one leaked, and renewals mend subscriptions',
          ],
        },
        {
          id: '7',
          says: 'Every answer has `x-svc-auth-mode`, except the CSRF rejection. Each test of the API over HTTP checks that.',
          proof: [
            'http/auth: is required of every change made with a session',
            'http/malformed: any target, method and body gets a documented answer',
          ],
        },
      ],
    },
    {
      title: 'Rights and trust',
      kind: 'rule',
      requirements: [
        {
          id: '8, grants',
          says: 'By role, for the tenant or for owned domains. What is not granted is denied.',
          proof: [
            'unit/authz/visibility: each grant reaches as far as the table says',
            'unit/authz/visibility: without a role, and with roles that lack it, every capability is denied',
            'unit/authz/visibility: an owner of nothing sees nothing, rather than everything',
          ],
        },
        {
          id: '8, lists',
          says: 'Lists for a domain-scoped caller are filtered by domain.',
          proof: [
            'http/no-leak: what an owner is shown does not depend on what other domains hold',
            'http/assets: a domain owner sees what ties a candidate to the domain, and only that domain',
          ],
        },
        {
          id: '8, denials',
          says: 'Each is in the audit trail as `authorization_denied`.',
          proof: [
            'http/auth: refuses who lacks the capability and audits the denial with it',
            'http/audit: is for auditors only; every refusal is itself an event',
          ],
        },
        {
          id: '8, exclusions',
          says: '`platform_admin` has no evidence, excerpt or review capability. Those of an owner are never of the tenant.',
          proof: [
            'contract/capabilities: platform_admin has no evidence, excerpt or review capability',
            'contract/capabilities: what a domain owner holds is never tenant-wide',
          ],
        },
        {
          id: '9, clientState',
          says: 'HMAC-SHA256 keyed by the session secret over `svc-sub:<subscriptionId>`.',
          proof: [
            'unit/notifications/client-state: is a short HMAC of the subscription, keyed by the session secret',
            'unit/notifications/client-state: holds for its own subscription under its own secret, and for nothing else',
          ],
        },
        {
          id: '9, constant time',
          says: 'It is compared in constant time.',
          proof: [
            'http/webhook-flood: the time taken is that of a known and of an unknown subscription alike',
          ],
          unproved: {
            because: 'beyond',
            why: 'The test compares times of requests, which is coarse. The comparison is `timingSafeEqual` of Node over digests of equal length.',
          },
        },
        {
          id: '9, rejected items',
          says: 'They are not stored. A metric alone counts them.',
          proof: [
            'http/webhook-flood: two thousand foreign notifications write and lock nothing and delay nobody',
            'http/webhooks: of an unknown subscription or a wrong state leave nothing but a metric',
          ],
        },
        {
          id: '10, sources',
          says: 'Credentials are app-only and read. Labels are written by an identity of their own.',
          proof: [
            'db/graph-access: reads and label writes have tokens of their own',
            'unit/connectors/m365/graph-client: labels are assigned by the remediation identity alone',
          ],
          unproved: {
            because: 'live',
            why: 'Which rights an administrator consents to is theirs. The probe names missing and surplus ones; [permissions.md](permissions.md) has the list.',
          },
        },
        {
          id: '10, secrets',
          says: 'Configured by reference, and shown as configured or not.',
          proof: [
            'unit/config: resolves to the variable that it names, and the setting shows the name only',
            'http/diagnostics: settings are listed by name, with values of flags and numbers alone',
            'http/source-selection: administrators and auditors see each family, and nobody else does',
          ],
        },
        {
          id: '11',
          says: 'The adapter has the name of a principal (dev), or a session cookie with its token.',
          proof: [
            'unit/adapter/adapter-config: a principal of this machine is all that development needs',
            'unit/adapter/adapter-config: a session is a cookie, with or without its name, and its token',
            'http/adapter-stdio: a development principal is signed in again; a session that ended is reported',
          ],
        },
      ],
    },
  ],
};
