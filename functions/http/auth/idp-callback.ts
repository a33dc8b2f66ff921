import { z } from 'zod';
import { clientName } from '../../../core/auth/client-name.ts';
import { endSession } from '../../../core/auth/end-session.ts';
import { resolveSession, sessionHashOf } from '../../../core/auth/session.sql.ts';
import { completeSignIn, SignInRefused } from '../../../core/auth/sign-in.ts';
import { sessionSecretsOf } from '../../../core/config.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { SIGN_IN_PAGE_STATUSES, signInPage } from '../../../core/http/sign-in-page.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';
import type { SignInRefusal } from '../../../core/kernel/vocabulary.ts';
import type { Runtime } from '../../../core/runtime.ts';

export const idpCallback = endpoint({
  name: 'auth-idp-callback',
  method: 'GET',
  path: '/api/auth/idp/callback',
  summary: 'End a sign-in that the identity provider answered',
  description:
    'For browsers: sets the session cookie and redirects to where the sign-in began. Whatever goes wrong is shown ' +
    'on a page that a person can read.',
  access: anyone,
  idpOnly: true,
  transaction: 'none',
  // A provider adds what it likes.
  query: z.unknown(),
  produces: {
    302: 'text/plain',
    ...Object.fromEntries(SIGN_IN_PAGE_STATUSES.map((status) => [status, 'text/html'])),
  },
  handle: async ({ runtime, search, header, now, correlationId, setSession, setCookie, afterCommit }) => {
    try {
      const cookies = header('cookie');
      const presented = await presentedSession(runtime, cookies, now);
      const { session, returnTo, cookieName } = await completeSignIn(runtime, {
        query: search,
        cookies,
        client: clientName(header('user-agent')),
        correlationId,
        now,
      });
      if (presented !== null) afterCommit(() => endSession(runtime.db, presented, { correlationId, now }));
      setSession(session);
      setCookie({ name: cookieName, value: '', maxAgeSeconds: 0, path: '/api/auth/idp' });
      return { status: 302, location: returnTo, contentType: 'text/plain', body: '' };
    } catch (error) {
      const reason = reasonOf(error);
      runtime.log.warn('sign_in_refused', { reason, correlationId }, causeOf(error));
      return signInPage(reason, correlationId);
    }
  },
});

async function presentedSession({ db, config }: Runtime, cookies: string | null, now: number) {
  const sessionHash = sessionHashOf(cookies, sessionSecretsOf(config));
  const caller = sessionHash === null ? null : await resolveSession(db, config, sessionHash, now);
  return sessionHash === null || caller === null ? null : { principal: caller.principal, sessionHash };
}

function reasonOf(error: unknown): SignInRefusal {
  if (error instanceof SignInRefused) return error.reason;
  return error instanceof ServiceError && error.code === 'not_configured' ? 'not_configured' : 'failed';
}

const causeOf = (error: unknown): unknown => (error instanceof SignInRefused ? error.cause : error);
