import { z } from 'zod';
import { isReturnPath } from '../../../core/auth/return-path.ts';
import { beginSignIn, unavailable } from '../../../core/auth/sign-in.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { signInPage } from '../../../core/http/sign-in-page.ts';

export const idpLogin = endpoint({
  name: 'auth-idp-login',
  method: 'GET',
  path: '/api/auth/idp/login',
  summary: 'Begin a sign-in at the identity provider',
  description:
    'For browsers: redirects to the identity provider, by authorization code and PKCE. The sign-in must end within ten ' +
    'minutes and in the same browser. Where the provider or the storage account does not answer, a page says so.',
  access: anyone,
  idpOnly: true,
  transaction: 'none',
  query: z.strictObject({
    returnTo: z
      .string()
      .refine(isReturnPath, 'Must be a path of this service, such as /review.')
      .default('/')
      .describe('Where the browser goes after the sign-in: a path of this service'),
    code: z.string().min(1).max(128).optional().describe('A setup code or an invitation'),
    prompt: z
      .enum(['select_account'])
      .optional()
      .describe('Lets somebody who is signed in at the provider choose another account'),
  }),
  errors: ['not_configured'],
  produces: { 302: 'text/plain', 502: 'text/html', 503: 'text/html' },
  handle: async ({ runtime, query, now, correlationId, setCookie }) => {
    try {
      const { location, cookie } = await beginSignIn(runtime, { ...query, now });
      setCookie({ ...cookie, path: '/api/auth/idp' });
      return { status: 302, location, contentType: 'text/plain', body: '' };
    } catch (error) {
      const reason = unavailable(error);
      if (reason === null) throw error;
      runtime.log.warn('sign_in_refused', { reason, correlationId }, error);
      return signInPage(reason, correlationId);
    }
  },
});
