import { randomBytes, timingSafeEqual } from 'node:crypto';
import { appendAudit } from '../audit/append.sql.ts';
import { type AuditEntry, auditText } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import { databaseProblem } from '../db/errors.ts';
import { type Db, withTx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { SignInRefusal } from '../kernel/vocabulary.ts';
import { SignInsUnavailable, type SignInTable, type SignInTransaction } from '../platform/sign-in-table.ts';
import { claimedRoles, identityIn } from './claims.ts';
import { cookiesIn } from './cookie.ts';
import { type Recognition, recognise, tenantOfIssuer } from './identities.sql.ts';
import {
  type IdentityProvider,
  ProviderRefused,
  ProviderUnreachable,
  TokenRefused,
} from './identity-provider.ts';
import { type NewSession, sha256, startSession } from './session.sql.ts';

/** The cookie that binds a sign-in to the browser in which it started. */
export type SignInCookie = { name: string; value: string; maxAgeSeconds: number };

/** A sign-in that started no session. `cause` is for the log. */
export class SignInRefused extends Error {
  readonly reason: SignInRefusal;

  constructor(reason: SignInRefusal, cause?: unknown) {
    super(reason, { cause });
    this.name = 'SignInRefused';
    this.reason = reason;
  }
}

type Parts = {
  config: Config;
  db: Db;
  identityProvider: IdentityProvider | null;
  signIns: SignInTable | null;
};

const SIGN_IN_SECONDS = 600;
const COOKIE_PREFIX = 'svc_signin_';
/** Enough to tell the sign-ins of one browser apart. */
const COOKIE_NAME_CHARACTERS = 8;
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

const secret = () => randomBytes(SECRET_BYTES).toString('base64url');
const hexOf = (text: string) => sha256(text).toString('hex');

/**
 * Starts a sign-in: where the browser goes, and the cookie that it brings back. Throws `not_configured`,
 * `ProviderUnreachable` and `SignInsUnavailable`.
 * @param request `returnTo`: a path that `isReturnPath` accepts. `code`: a setup code or an invitation
 */
export async function beginSignIn(
  parts: Parts,
  request: {
    returnTo: string;
    code?: string | undefined;
    prompt?: 'select_account' | undefined;
    now: number;
  },
): Promise<{ location: string; cookie: SignInCookie }> {
  const { provider, signIns } = configured(parts);
  const [state, nonce, verifier, browser] = [secret(), secret(), secret(), secret()];
  const location = await provider.authorizationUrl({ state, nonce, verifier }, request.prompt);
  const id = hexOf(state);
  await signIns.insert(id, {
    nonce,
    verifier,
    browserHash: hexOf(browser),
    codeHash: request.code === undefined ? '' : hexOf(request.code),
    returnTo: request.returnTo,
    expiresAt: new Date(request.now + SIGN_IN_SECONDS * 1000),
  });
  return { location, cookie: { name: cookieName(id), value: browser, maxAgeSeconds: SIGN_IN_SECONDS } };
}

const cookieName = (id: string) => `${COOKIE_PREFIX}${id.slice(0, COOKIE_NAME_CHARACTERS)}`;

type Callback = {
  query: URLSearchParams;
  cookies: string | null;
  client: string;
  correlationId: string;
  now: number;
};

/**
 * Ends a sign-in with a session, or throws `SignInRefused`.
 * `cookieName` names the cookie that is of no more use.
 */
export async function completeSignIn(
  parts: Parts,
  callback: Callback,
): Promise<{ session: NewSession; returnTo: string; cookieName: string }> {
  const { provider, signIns } = configured(parts);
  const { db, config } = parts;
  const { correlationId, now } = callback;
  const state = callback.query.get('state') ?? '';
  const transaction = await useTransaction(signIns, state, callback);
  const { nonce, verifier, codeHash, returnTo } = transaction;
  const claims = await provider
    .exchange(callback.query, { state, nonce, verifier }, now)
    .catch((error: unknown) => {
      throw refusalOf(error);
    });
  const identity = identityIn(claims);
  if (identity === null) throw new SignInRefused('token_invalid');
  const mapping = config.SVC_IDP_ROLES;
  const claimed = mapping.length === 0 ? null : claimedRoles(claims, mapping);
  const tenantId = await tenantOfIssuer(db, identity.issuer);
  if (tenantId === null) throw new SignInRefused('no_access');
  const outcome = await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    const events: AuditEntry[] = [];
    const audit = (entry: AuditEntry) => events.push(entry);
    const codeUsed = codeHash === '' ? null : Buffer.from(codeHash, 'hex');
    const recognition: Recognition =
      claimed === 'unknown'
        ? { principalId: null, refused: 'too_many_groups' }
        : await recognise(tx, identity, { codeHash: codeUsed, claimed }, audit, now);
    const session =
      recognition.refused === null
        ? await startSession(tx, config, { ...recognition, authMode: 'idp', client: callback.client }, now)
        : null;
    audit(signedIn(recognition));
    const source = { tenantId, principalId: recognition.principalId, correlationId, now };
    await appendAudit(
      tx,
      events.map((entry) => auditText(source, entry)),
    );
    return { refused: recognition.refused, session };
  });
  if (outcome.session === null) throw new SignInRefused(outcome.refused ?? 'failed');
  return { session: outcome.session, returnTo, cookieName: cookieName(hexOf(state)) };
}

const signedIn = ({ principalId, refused }: Recognition): AuditEntry => ({
  category: 'auth',
  type: refused === null ? 'idp_login' : 'idp_login_refused',
  ...(principalId !== null && { target: { kind: 'principal', id: principalId } }),
  ...(refused !== null && { details: { reason: refused } }),
});

function configured({ identityProvider, signIns }: Parts): {
  provider: IdentityProvider;
  signIns: SignInTable;
} {
  if (identityProvider === null || signIns === null) {
    throw new ServiceError(
      'not_configured',
      'Sign-in needs SVC_IDP_TENANT_ID (or SVC_IDP_ISSUER), SVC_IDP_CLIENT_ID, SVC_IDP_CLIENT_SECRET_REF, ' +
        'SVC_IDP_REDIRECT_URI and a storage account (AzureWebJobsStorage).',
    );
  }
  return { provider: identityProvider, signIns };
}

/** The reason to report if a part that sign-ins need does not answer. Null for any other error. */
export function unavailable(error: unknown): 'provider_unreachable' | 'not_available' | null {
  if (error instanceof ProviderUnreachable) return 'provider_unreachable';
  const isPart = error instanceof SignInsUnavailable || databaseProblem(error) !== null;
  return isPart ? 'not_available' : null;
}

/** The transaction of a callback, which no other callback gets after this one. */
async function useTransaction(
  signIns: SignInTable,
  state: string,
  { cookies, now }: Callback,
): Promise<SignInTransaction> {
  if (!SECRET.test(state)) throw new SignInRefused('expired');
  const id = hexOf(state);
  const found = await signIns.find(id);
  if (found === null) throw new SignInRefused('expired');
  // Looked at before it is used up, so that a callback in another browser ends nothing here.
  const expected = Buffer.from(found.transaction.browserHash, 'hex');
  if (!cookiesIn(cookies, cookieName(id)).some((browser) => timingSafeEqual(sha256(browser), expected)))
    throw new SignInRefused('other_browser');
  if (!(await found.use()) || found.transaction.expiresAt.getTime() <= now)
    throw new SignInRefused('expired');
  return found.transaction;
}

function refusalOf(error: unknown): SignInRefused {
  if (error instanceof ProviderRefused) return new SignInRefused('refused_by_provider', error);
  if (error instanceof ProviderUnreachable) return new SignInRefused('provider_unreachable', error);
  if (error instanceof TokenRefused) return new SignInRefused('token_invalid', error);
  return new SignInRefused('failed', error);
}
