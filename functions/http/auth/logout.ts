import { z } from 'zod';
import { ProviderUnreachable } from '../../../core/auth/identity-provider.ts';
import { revokeSession } from '../../../core/auth/session.sql.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';

export const logout = endpoint({
  name: 'auth-logout',
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'Revoke the session and clear its cookie',
  description:
    'The answer is the same without a session. `providerLogoutUrl` is where the browser goes to sign out at the identity ' +
    'provider too; it is absent where the provider offers no logout.',
  access: anyone,
  transaction: 'write',
  response: z.object({ ok: z.literal(true), providerLogoutUrl: z.url().optional() }),
  // A provider that does not answer keeps nobody from signing out here.
  prepare: async ({ principal, runtime: { identityProvider } }) =>
    principal?.authMode !== 'idp'
      ? null
      : ((await identityProvider?.logoutUrl().catch((error: unknown) => {
          if (error instanceof ProviderUnreachable) return null;
          throw error;
        })) ?? null),
  handle: async ({ tx, principal, sessionHash, prepared: providerLogoutUrl, now, audit, setSession }) => {
    if (tx !== null && principal !== null && sessionHash !== null) {
      await revokeSession(tx, sessionHash, now);
      audit({ category: 'auth', type: 'logout', target: { kind: 'principal', id: principal.principalId } });
    }
    setSession(null);
    return { ok: true as const, ...(providerLogoutUrl !== null && { providerLogoutUrl }) };
  },
});
