import type { Principal } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import { type Db, lookup } from '../db/tx.ts';
import { identityIn } from './claims.ts';
import { type AccessTokenVerifier, TokenRefused } from './identity-provider.ts';
import { type PrincipalRow, principalColumns, principalOf } from './session.sql.ts';

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

/** The token of an `Authorization: Bearer` header; null for other schemes and without the header. */
export const bearerToken = (authorization: string | null): string | null =>
  BEARER.exec(authorization?.trim() ?? '')?.[1] ?? null;

/**
 * The principal whom an access token names: a registered service principal, or the person on whose behalf an
 * application calls. Throws `TokenRefused` and `ProviderUnreachable`.
 * @param now milliseconds
 */
export async function principalOfToken(
  db: Db,
  verifier: AccessTokenVerifier,
  token: string,
  now: number,
): Promise<Principal> {
  const claims = await verifier.verify(token, now);
  const identity = identityIn({ ...claims, oid: claims.oid ?? claims.sub });
  if (identity === null) throw new TokenRefused('sub');
  const row = await lookup<PrincipalRow>(
    db,
    sql`select ${principalColumns} from token_principal(${identity.issuer}, ${identity.subject})`,
  );
  if (row === null) throw new TokenRefused('unknown');
  // A token without a scope was issued to an application, and no person agreed to anything.
  const isDelegated = typeof claims.scp === 'string' || typeof claims.scope === 'string';
  if (row.kind === 'person' && !isDelegated) throw new TokenRefused('scope');
  return principalOf(row, 'idp');
}
