import type { Principal } from '../authz/principal.ts';
import type { Config } from '../config/config.ts';
import { sql } from '../db/sql.ts';
import { type Db, lookup } from '../db/tx.ts';
import { identityIn, isDelegated } from './claims.ts';
import { type AccessTokenVerifier, TokenRefused } from './identity-provider.ts';
import { type PrincipalRow, principalColumns, principalOf } from './session.sql.ts';

const BEARER = /^Bearer(?:\s+(.*))?$/i;

/** What an `Authorization: Bearer` header presents, whatever it is; null for other schemes and without the header. */
export function bearerToken(authorization: string | null): string | null {
  const presented = BEARER.exec(authorization?.trim() ?? '');
  return presented === null ? null : (presented[1] ?? '');
}

/**
 * The principal whom an access token names: a registered service principal, or the person on whose behalf an
 * application calls. Throws `TokenRefused` and `ProviderUnreachable`.
 * @param now milliseconds
 */
export async function principalOfToken(
  { db, config }: { db: Db; config: Config },
  verifier: AccessTokenVerifier,
  token: string,
  now: number,
): Promise<Principal> {
  const claims = await verifier.verify(token, now);
  const identity = identityIn({ ...claims, oid: claims.oid ?? claims.sub });
  if (identity === null) throw new TokenRefused('sub');
  const claimedSince = new Date(now - config.SVC_SESSION_ABSOLUTE_HOURS * 3_600_000);
  const row = await lookup<PrincipalRow>(
    db,
    sql`select ${principalColumns} from token_principal(${identity.issuer}, ${identity.subject}, ${claimedSince})`,
  );
  if (row === null) throw new TokenRefused('unknown');
  if (row.kind === 'person' && !isDelegated(claims)) throw new TokenRefused('scope');
  // Of Microsoft: an application acts for a person. Others have a scope in tokens of applications, too.
  if (row.kind === 'service' && typeof claims.scp === 'string') throw new TokenRefused('scope');
  return principalOf(row, 'idp');
}
