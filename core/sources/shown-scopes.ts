import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { canRead, type SourceParts } from '../integrations/connector-for.ts';
import type { ShownScope } from './scope-schema.ts';
import { listScopes } from './scopes.sql.ts';

/**
 * Scopes that the reader may see, at most `limit`. A scope that the present configuration does not read is shown as
 * `blocked` and not selected, whatever is stored.
 */
export async function shownScopes(
  parts: SourceParts,
  tx: Tx,
  visibility: Visibility,
  limit: number,
): Promise<ShownScope[]> {
  const scopes = await listScopes(tx, visibility, limit);
  return scopes.map((scope) =>
    canRead(parts, tx.tenantId, scope) ? scope : { ...scope, mode: 'blocked', selected: false },
  );
}
