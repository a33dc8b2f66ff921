import { z } from 'zod';
import { clientName } from '../../../core/auth/client-name.ts';
import { endSession } from '../../../core/auth/end-session.ts';
import { presentedSession } from '../../../core/auth/session.sql.ts';
import { completeSignIn, SignInRefused, unavailable } from '../../../core/auth/sign-in.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { SIGN_IN_PAGE_STATUSES, signInPage } from '../../../core/http/sign-in-page.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';
import type { SignInRefusal } from '../../../core/kernel/vocabulary.ts';

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
      const { caller, sessionHash } = await presentedSession(runtime, cookies, now);
      const { session, returnTo, cookieName } = await completeSignIn(runtime, {
        query: search,
        cookies,
        client: clientName(header('user-agent')),
        correlationId,
        now,
      });
      if (caller !== null && sessionHash !== null) {
        const presented = { principal: caller.principal, sessionHash };
        afterCommit(() => endSession(runtime.db, presented, { correlationId, now }));
      }
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

function reasonOf(error: unknown): SignInRefusal {
  if (error instanceof SignInRefused) return error.reason;
  if (error instanceof ServiceError && error.code === 'not_configured') return 'not_configured';
  return unavailable(error) ?? 'failed';
}

const causeOf = (error: unknown): unknown => (error instanceof SignInRefused ? error.cause : error);
