import { generateKeyPair, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { accountsPage, errorPage, signedOutPage, signOutPage } from './provider-pages.ts';
import { providerStorage } from './provider-storage.ts';

export type ProviderAccount = {
  subject: string;
  displayName: string;
  /** Null: the ID token has no `email`. */
  email: string | null;
  /** More claims of the ID token, such as roles, groups, oid, tid, _claim_names. The scope does not filter them. */
  claims?: Record<string, unknown>;
};

export type IdentityProvider = {
  issuer: string;
  close(): Promise<void>;
};

export type IdentityProviderOptions = {
  /** 0: any. */
  port: number;
  /** Asked at each sign-in and for each ID token. */
  accounts: () => readonly ProviderAccount[];
  clients: readonly {
    clientId: string;
    clientSecret: string;
    redirectUris: string[];
    postLogoutRedirectUris?: string[];
  }[];
  /** An API behind the provider: access tokens for it are JWT (RFC 9068). */
  api?: ProviderApi;
};

type ProviderApi = { audience: string };

/** A person's access token is for the API if the sign-in asks for this scope; a client's own token always is. */
export const API_SCOPE = 'api';

const HOST = '127.0.0.1';
const INTERACTION = '/interaction/';
const HOUR = 3600;

/**
 * An OpenID provider on loopback for trying out and for tests. Whoever asks signs in as any account without a password.
 * It keeps nothing: keys and sessions are new at each start.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const server = createServer();
  server.listen(options.port, HOST);
  await once(server, 'listening');
  const issuer = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    ...configuration(options),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  });
  addExtraClaims(provider, options.accounts);
  serveAccountsPage(provider, options.accounts);
  server.on('request', provider.callback());
  return {
    issuer,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function configuration({ accounts, clients, api }: IdentityProviderOptions): Configuration {
  return {
    adapter: providerStorage(),
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    clients: clients.map((client) => ({
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uris: client.redirectUris,
      post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
      grant_types: ['authorization_code', ...(api === undefined ? [] : ['client_credentials'])],
      response_types: ['code'],
    })),
    clientAuthMethods: ['client_secret_basic'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    findAccount: (_ctx, subject) => {
      const account = accounts().find((each) => each.subject === subject);
      if (account === undefined) return undefined;
      const { displayName: name, email } = account;
      return { accountId: subject, claims: () => ({ sub: subject, name, ...(email !== null && { email }) }) };
    },
    interactions: { policy: askEachTime(), url: (_ctx, { uid }) => `${INTERACTION}${uid}` },
    loadExistingGrant: grantWhatIsAsked,
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      ClientCredentials: HOUR,
      Grant: 12 * HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: 12 * HOUR,
    },
    renderError: (ctx, out) => {
      ctx.type = 'html';
      ctx.body = errorPage(out);
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = signOutPage(form);
        },
        postLogoutSuccessSource: (ctx) => {
          ctx.body = signedOutPage();
        },
      },
      clientCredentials: { enabled: api !== undefined },
      resourceIndicators: api === undefined ? { enabled: false } : apiResource(api),
    },
  };
}

/** The provider knows an API by an absolute URI; the audience of its tokens may be any text, such as a client id. */
function apiResource({ audience }: ProviderApi) {
  const resource = URL.canParse(audience) ? audience : `urn:audience:${audience}`;
  return {
    enabled: true,
    defaultResource: () => resource,
    useGrantedResource: (_ctx: KoaContextWithOIDC, { scopes }: { scopes: ReadonlySet<string> }) =>
      scopes.has(API_SCOPE),
    getResourceServerInfo: (_ctx: KoaContextWithOIDC, indicator: string) => {
      if (indicator !== resource) throw new errors.InvalidTarget();
      return { scope: API_SCOPE, audience, accessTokenFormat: 'jwt' as const };
    },
  };
}

/** Without this, a browser that is signed in could not choose another account. */
function askEachTime() {
  const policy = interactionPolicy.base();
  const isUnasked = ({ oidc }: KoaContextWithOIDC) => oidc.result?.login === undefined;
  policy
    .get('login')
    ?.checks.add(new interactionPolicy.Check('unasked', 'each sign-in chooses an account', isUnasked));
  return policy;
}

/** Consent without a question. */
async function grantWhatIsAsked({ oidc }: KoaContextWithOIDC) {
  const { client, account, provider } = oidc;
  const grant = new provider.Grant({ clientId: client?.clientId, accountId: account?.accountId });
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '));
  for (const [indicator, { scopes }] of Object.entries(oidc.resourceServers ?? {})) {
    grant.addResourceScope(indicator, [...scopes].join(' '));
  }
  await grant.save();
  return grant;
}

/** The provider issues only claims whose names it was told at its start; those of an account may change. */
function addExtraClaims(provider: Provider, accounts: IdentityProviderOptions['accounts']): void {
  // Each provider has a class of its own.
  const { prototype } = provider.IdToken;
  const { payload } = prototype;
  prototype.payload = async function () {
    const account = accounts().find(({ subject }) => subject === this.available.sub);
    return { ...account?.claims, ...(await payload.call(this)) };
  };
}

function serveAccountsPage(provider: Provider, accounts: IdentityProviderOptions['accounts']): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith(INTERACTION)) return next();
    if (ctx.method !== 'POST') {
      ctx.type = 'html';
      ctx.body = accountsPage(accounts());
      return;
    }
    const accountId = new URLSearchParams(await text(ctx.req)).get('account') ?? '';
    if (!accounts().some(({ subject }) => subject === accountId)) return ctx.throw(400, 'no such account');
    const signedIn = { login: { accountId } };
    ctx.redirect(
      await provider.interactionResult(ctx.req, ctx.res, signedIn, { mergeWithLastSubmission: false }),
    );
    ctx.status = 303;
  });
}
