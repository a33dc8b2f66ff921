import { randomBytes } from 'node:crypto';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { type Db, withProvisioningTx } from '../../core/db/tx.ts';
import { PERSONAS } from './fixture/development-tenant.ts';
import { freePort } from './free-port.ts';
import { DEVELOPMENT_TENANT_ID } from './seed.ts';

export type PersonasProvider = {
  /** Where the service has to listen: the provider sends browsers back to no other port. */
  servicePort: number;
  /** What the service has to know of the provider. */
  settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Somebody of the organization whom the service does not know. */
const NEWCOMER = { subject: 'newcomer', displayName: 'Newcomer', email: 'newcomer@example.com' };

const CLIENT_ID = 'data-governance';
const CLIENT_SECRET = 'SVC_LOCAL_IDP_CLIENT_SECRET';

/**
 * Starts an identity provider for the development tenant: its accounts are the personas, and somebody unknown.
 * @param port of the service; 0: any. The provider has the next one while that is free.
 * @param ownerUrl the login that owns the schema
 */
export async function startPersonasProvider(port: number, ownerUrl: string): Promise<PersonasProvider> {
  const servicePort = port === 0 ? await freePort(0) : port;
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  const clientSecret = randomBytes(24).toString('base64url');
  const redirectUri = `${serviceUrl}/api/auth/idp/callback`;
  const personas = PERSONAS.map(({ id, displayName }) => ({ subject: id, displayName, email: null }));
  // It takes half a second to load, which a start without it does not wait for.
  const { startIdentityProvider } = await import('./identity-provider.ts');
  const { issuer, close } = await startIdentityProvider({
    port: port === 0 ? 0 : await freePort(port + 1),
    accounts: () => [...personas, NEWCOMER],
    clients: [
      {
        clientId: CLIENT_ID,
        clientSecret,
        redirectUris: [redirectUri],
        postLogoutRedirectUris: [`${serviceUrl}/`],
      },
    ],
  });
  const settings = {
    SVC_AUTH_MODE: 'idp',
    SVC_IDP_ISSUER: issuer,
    // A directory that the environment names is another provider's.
    SVC_IDP_TENANT_ID: '',
    SVC_IDP_CLIENT_ID: CLIENT_ID,
    SVC_IDP_CLIENT_SECRET_REF: CLIENT_SECRET,
    [CLIENT_SECRET]: clientSecret,
    SVC_IDP_REDIRECT_URI: redirectUri,
  };
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'local-stack' });
  try {
    await bindToProvider(owner, issuer);
  } catch (error) {
    await close();
    throw error;
  } finally {
    await owner.close();
  }
  return { servicePort, settings, close };
}

/**
 * Binds the development tenant to the issuer, and the personas to their accounts. Whoever else was bound to the
 * issuer of an earlier start follows: the database changes a person's issuer together with the tenant's.
 */
function bindToProvider(owner: Db, issuer: string): Promise<void> {
  const personas = PERSONAS.map(({ id }) => id);
  return withProvisioningTx(owner, DEVELOPMENT_TENANT_ID, async (tx) => {
    await tx.query(sql`update tenants set idp_issuer = ${issuer} where tenant_id = ${tx.tenantId}`);
    await tx.query(sql`
      update principals set idp_issuer = ${issuer}, idp_subject = principal_id
       where tenant_id = ${tx.tenantId} and principal_id = any(${personas}::text[])`);
  });
}
