import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AuthMode, granteeOf, type Principal, type PrincipalKind } from '../authz/principal.ts';
import { type Config, sessionSecretsOf } from '../config/config.ts';
import { sql } from '../db/sql.ts';
import { type Db, lookup, type Tx } from '../db/tx.ts';
import { type DomainId, newId, type PrincipalId, type TenantId } from '../kernel/ids.ts';
import type { Role } from '../kernel/vocabulary.ts';
import { cookiesIn } from './cookie.ts';

export const SESSION_COOKIE = 'svc_session';

const ID_BYTES = 32;
/** Sessions that one request may name. Only signed cookies count, so that no others can take their place. */
const MAX_SESSIONS = 8;
const SIGNED = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export type NewSession = { cookieValue: string; csrfToken: string; maxAgeSeconds: number };

/** Who makes a request. Callers with an access token have no session. */
export type RequestCaller = {
  principal: Principal;
  session: { sessionId: string; csrfToken: string } | null;
};

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const signature = (secret: string, id: string) =>
  createHmac('sha256', secret).update(`svc-session:${id}`).digest('base64url');

/**
 * The SHA-256 of the session ids in the cookies that one of the secrets has signed, each once. There can be several cookies
 * if another host of the domain or an earlier deployment has set its own.
 */
export function sessionHashes(cookieHeader: string | null, secrets: readonly string[]): Buffer[] {
  const values = new Set(cookiesIn(cookieHeader, SESSION_COOKIE));
  return [...values].flatMap((value) => hashOf(value, secrets) ?? []).slice(-MAX_SESSIONS);
}

/** The session that a request has, of the first signed cookie whose session is valid. */
export type PresentedSession = { caller: RequestCaller | null; sessionHash: Buffer | null };

/** Without a valid session, `sessionHash` is of the first signed cookie; null if none is signed. */
export async function presentedSession(
  { db, config }: { db: Db; config: Config },
  cookieHeader: string | null,
  now: number,
): Promise<PresentedSession> {
  const hashes = sessionHashes(cookieHeader, sessionSecretsOf(config));
  for (const sessionHash of hashes) {
    const caller = await resolveSession(db, config, sessionHash, now);
    if (caller !== null) return { caller, sessionHash };
  }
  return { caller: null, sessionHash: hashes[0] ?? null };
}

function hashOf(cookieValue: string, secrets: readonly string[]): Buffer | null {
  const [, id, given] = SIGNED.exec(cookieValue) ?? [];
  if (id === undefined || given === undefined) return null;
  const holds = secrets.some((secret) =>
    timingSafeEqual(Buffer.from(given), Buffer.from(signature(secret, id))),
  );
  return holds ? sha256(id) : null;
}

export type PrincipalRow = {
  tenantId: TenantId;
  principalId: PrincipalId;
  kind: PrincipalKind;
  displayName: string;
  title: string;
  department: string;
  roles: Role[];
  ownedDomains: DomainId[];
};

/** Of `active_principal` and the functions that return its columns. */
export const principalColumns = sql`
  tenant_id as "tenantId", principal_id as "principalId", kind, display_name as "displayName", title, department, roles,
  owned_domains as "ownedDomains"`;

export const principalOf = (row: PrincipalRow, authMode: AuthMode): Principal => ({
  tenantId: row.tenantId,
  principalId: row.principalId,
  authMode,
  displayName: row.displayName,
  title: row.title,
  department: row.department,
  ...granteeOf(row.kind, row.roles, row.ownedDomains),
});

type SessionRow = PrincipalRow & { sessionId: string; authMode: AuthMode; csrfToken: string };

/** Reads session, principal, roles and owned domains in one prepared statement. Null if the session is not valid. */
async function resolveSession(
  db: Db,
  config: Config,
  sessionHash: Buffer,
  now: number,
): Promise<RequestCaller | null> {
  const row = await lookup<SessionRow>(
    db,
    sql`
      select session_id as "sessionId", auth_mode as "authMode", csrf_token as "csrfToken", ${principalColumns}
        from session_principal(${sessionHash}, ${new Date(now)}, make_interval(mins => ${config.SVC_SESSION_IDLE_MINUTES}))`,
  );
  // A session of another sign-in mode is not valid.
  if (row === null || row.authMode !== config.SVC_AUTH_MODE) return null;
  // Second check: production refuses `dev` sessions, even if the process was started in that mode.
  if (row.authMode === 'dev' && config.SVC_ENV === 'production') return null;
  return {
    principal: principalOf(row, row.authMode),
    session: { sessionId: row.sessionId, csrfToken: row.csrfToken },
  };
}

/**
 * Starts a session with a new id of 256 random bits. The caller revokes a session that came with the request, in the
 * tenant of that session.
 */
export async function startSession(
  tx: Tx,
  config: Config,
  who: { principalId: PrincipalId; authMode: AuthMode; client: string },
  now: number,
): Promise<NewSession> {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const csrfToken = randomBytes(ID_BYTES).toString('base64url');
  const maxAgeSeconds = config.SVC_SESSION_ABSOLUTE_HOURS * 3600;
  const at = new Date(now);
  await tx.query(sql`
    insert into sessions (session_hash, session_id, tenant_id, principal_id, auth_mode, client, csrf_token, created_at,
                          last_seen_at, expires_at)
    values (${sha256(id)}, ${newId('ses', now)}, ${tx.tenantId}, ${who.principalId}, ${who.authMode},
            ${who.client}, ${csrfToken}, ${at}, ${at}, ${new Date(now + maxAgeSeconds * 1000)})`);
  await tx.query(sql`
    update principals set last_sign_in_at = ${at}
     where tenant_id = ${tx.tenantId} and principal_id = ${who.principalId}`);
  return { cookieValue: `${id}.${signature(config.SVC_SESSION_SECRET, id)}`, csrfToken, maxAgeSeconds };
}

export async function revokeSession(tx: Tx, sessionHash: Buffer, now: number): Promise<void> {
  await tx.query(sql`
    update sessions set revoked_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and session_hash = ${sessionHash} and revoked_at is null`);
}
