import { sql } from '../../core/db/sql.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { type CookieJars, signInAtProvider } from '../../infra/local/sign-in-at-provider.ts';
import { type SignedIn, startService, type TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { DEV } from './seed.ts';
import { createSeededDatabase } from './seeded-database.ts';

export const CLIENT_ID = 'governance';
export const CLIENT_SECRET = 'a-secret-that-only-the-provider-knows';

/** The service in the mode `idp`, with a storage emulator; the development tenant is bound to the issuer. */
export type SignInWorld = {
  database: TestDatabase;
  service: TestService;
  storage: LocalStorage;
  /** Settings of the mode `idp`, with some changed. */
  configure(issuer: string, changes?: Record<string, string>): Promise<void>;
  /** Binds the development tenant to an issuer, or to none. */
  bindTenant(issuer: string | null): Promise<void>;
  /** Signs in through the provider as a browser does; the answer to the callback. */
  signIn(
    subject: string,
    options?: { query?: string; cookies?: CookieJars },
  ): Promise<{
    status: number;
    location: string | null;
    body: string;
    cookies: CookieJars;
    person: SignedIn | null;
  }>;
  close(): Promise<void>;
};

export async function startSignInWorld(): Promise<SignInWorld> {
  const database = await createSeededDatabase();
  const storage = await startAzurite({ inMemory: true, log: () => undefined });
  const service = await startService(database);
  return {
    database,
    service,
    storage,
    configure: (issuer, changes = {}) =>
      service.reconfigure({
        SVC_AUTH_MODE: 'idp',
        SVC_IDP_ISSUER: issuer,
        SVC_IDP_CLIENT_ID: CLIENT_ID,
        SVC_IDP_CLIENT_SECRET_REF: 'TEST_IDP_SECRET',
        TEST_IDP_SECRET: CLIENT_SECRET,
        SVC_IDP_REDIRECT_URI: `${service.url}/api/auth/idp/callback`,
        AzureWebJobsStorage: storage.connectionString,
        ...changes,
      }),
    bindTenant: async (issuer) => {
      await database.inspect(sql`update tenants set idp_issuer = ${issuer} where tenant_id = ${DEV}`);
    },
    signIn: async (subject, { query = '', cookies } = {}) => {
      const answer = await signInAtProvider(`${service.url}/api/auth/idp/login${query}`, subject, cookies);
      return { ...answer, person: await personOf(service, answer.cookies) };
    },
    close: async () => {
      await service.close();
      await storage.stop();
      await database.drop();
    },
  };
}

/** Whoever the browser is signed in as. */
async function personOf(service: TestService, jars: CookieJars): Promise<SignedIn | null> {
  const value = jars.get(new URL(service.url).host)?.get('svc_session');
  return value === undefined ? null : personWith(service, `svc_session=${value}`);
}

/** Whoever this cookie, `svc_session=…`, signs in. */
export async function personWith(service: TestService, cookie: string): Promise<SignedIn | null> {
  const me = await service
    .withCookie(cookie, '')
    .get<{ principalId: string; csrfToken: string }>('/api/auth/me');
  if (me.status !== 200) return null;
  const { principalId, csrfToken } = me.body;
  return { ...service.withCookie(cookie, csrfToken), principalId, cookie, csrfToken };
}
