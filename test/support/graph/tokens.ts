import { createHash, X509Certificate } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Answer } from './errors.ts';
import { guidOf, tokenOf } from './ids.ts';
import type { App, Tenant } from './state.ts';

/** What a token says: who, where, until when, and with which permissions it was issued. */
type Token = { tenant: Tenant; app: App; until: number };

export type Tokens = ReturnType<typeof tokenIssuer>;

const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const GRAPHS = [
  ...['https://graph.microsoft.com', 'https://graph.microsoft.us', 'https://dod-graph.microsoft.us'],
  'https://microsoftgraph.chinacloudapi.cn',
];

/** A refusal in the form of the token endpoint, with the number that administrators search for. */
const refusal = (error: string, number: number, description: string, status = 400): Answer => ({
  status,
  body: {
    ...{ error, error_description: `AADSTS${number}: ${description}`, error_codes: [number] },
    ...{
      timestamp: '2026-01-01 00:00:00Z',
      trace_id: guidOf('trace'),
      correlation_id: guidOf('correlation'),
    },
  },
});

/** Issues and checks tokens of applications. @param seconds how long a token is valid */
export function tokenIssuer(
  tenants: ReadonlyMap<string, Tenant>,
  clock: () => number,
  options: { seconds: number; graphOrigin: () => string },
) {
  const issued = new Map<string, Token>();
  const lifetime = { seconds: options.seconds };

  const issue = (tenant: Tenant, app: App): string => {
    const claims = {
      ...{ aud: options.graphOrigin(), tid: tenant.id, appid: app.clientId },
      uti: tokenOf(`${tenant.id}/${app.clientId}/${issued.size}`),
      // The authority leaves the claim out where it is empty. What Exchange alone lets an application do is not in it.
      ...(app.permissions.length > 0 && { roles: app.permissions }),
    };
    const token = `eyJ0eXAiOiJKV1QifQ.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.fixture`;
    // Permissions are in the token: what is granted later, the next token has. Roles of Exchange hold at once.
    const held = { ...app, permissions: [...app.permissions], siteIds: [...app.siteIds] };
    issued.set(token, { tenant, app: held, until: clock() + lifetime.seconds * 1000 });
    return token;
  };
  const isGraph = (resource: string) =>
    [...GRAPHS, options.graphOrigin()].includes(resource.replace(/\/$/, ''));

  return {
    lifetime,
    issue,
    /** The holder of a bearer, null if it was never issued or has passed. */
    holder(authorization: string | undefined): Token | null {
      const token = issued.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
      return token === undefined || token.until <= clock() ? null : token;
    },
    revokeAll: (): void => issued.clear(),

    /** `POST /{tenant}/oauth2/v2.0/token` */
    async exchange(tenantId: string, form: URLSearchParams, endpoint: string): Promise<Answer> {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return refusal('invalid_request', 90002, `Tenant '${tenantId}' not found.`);
      if (form.get('grant_type') !== 'client_credentials') {
        return refusal('unsupported_grant_type', 70003, 'The app requested an unsupported grant type.');
      }
      const scope = form.get('scope') ?? '';
      const resource = /^(.+)\/\.default$/.exec(scope.split(' ')[0] ?? '')?.[1];
      if (resource === undefined || !isGraph(resource)) {
        return refusal('invalid_scope', 1002012, `The provided value for scope ${scope} is not valid.`);
      }
      const app = tenant.apps.get(form.get('client_id') ?? '');
      if (app === undefined) {
        return refusal('unauthorized_client', 700016, 'Application was not found in the directory.');
      }
      if (form.has('client_assertion')) {
        const isProven =
          form.get('client_assertion_type') === ASSERTION &&
          (await isAssertionOf(app, form.get('client_assertion') ?? '', endpoint));
        if (!isProven) return refusal('invalid_client', 700027, 'The certificate is not registered.', 401);
      } else if (app.secret === null || form.get('client_secret') !== app.secret) {
        return refusal('invalid_client', 7000215, 'Invalid client secret provided.', 401);
      }
      const { seconds } = lifetime;
      return {
        status: 200,
        body: {
          ...{ token_type: 'Bearer', expires_in: seconds, ext_expires_in: seconds },
          access_token: issue(tenant, app),
        },
      };
    },

    /** The endpoint of managed identities that App Service gives to its apps (`2019-08-01`). */
    managedIdentity(query: URLSearchParams, headers: Record<string, string>): Answer {
      const tenant = [...tenants.values()][0];
      const clientId = query.get('client_id');
      const app = clientId === null ? tenant?.apps.values().next().value : tenant?.apps.get(clientId);
      const isAsked = headers['x-identity-header'] !== undefined && isGraph(query.get('resource') ?? '');
      if (tenant === undefined || app === undefined || !isAsked)
        return { status: 400, body: { statusCode: 400 } };
      return {
        status: 200,
        body: {
          ...{ access_token: issue(tenant, app), client_id: app.clientId, token_type: 'Bearer' },
          ...{
            resource: query.get('resource'),
            expires_on: String(Math.floor(clock() / 1000) + lifetime.seconds),
          },
        },
      };
    },
  };
}

/** Whether a client assertion is signed by a registered certificate, for this endpoint and now. */
async function isAssertionOf(app: App, assertion: string, endpoint: string): Promise<boolean> {
  try {
    const header = decodeProtectedHeader(assertion);
    const pem = app.certificates.find((each) => {
      const { raw } = new X509Certificate(each);
      const thumbprint = (hash: string) => createHash(hash).update(raw).digest('base64url');
      return header['x5t#S256'] === thumbprint('sha256') || header.x5t === thumbprint('sha1');
    });
    if (pem === undefined) return false;
    await jwtVerify(assertion, new X509Certificate(pem).publicKey, {
      ...{ issuer: app.clientId, subject: app.clientId, audience: endpoint, algorithms: ['RS256', 'PS256'] },
      // Clients write from when an assertion holds in whole seconds, rounded up. The service lets that pass.
      clockTolerance: 300,
    });
    return true;
  } catch {
    return false;
  }
}
