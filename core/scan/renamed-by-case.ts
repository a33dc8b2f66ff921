import type { SourceItem } from '../connectors/connector.ts';
import { withTx } from '../db/tx.ts';
import type { WorkUnit } from '../work/unit.ts';
import type { SourceOfUnit } from './folder-permissions.ts';
import { type CaseTwin, caseTwins } from './renamed.sql.ts';
import type { ScanParts } from './scan-parts.ts';

/** Assets whose path has changed by case alone, as a page of a listing shows. */
export async function renamedByCase(
  { db }: Pick<ScanParts, 'db'>,
  { tenantId }: WorkUnit,
  { scope, connector }: SourceOfUnit,
  items: readonly SourceItem[],
  signal: AbortSignal,
): Promise<CaseTwin[]> {
  if (connector.missingPaths === undefined || items.length === 0) return [];
  const twins = await withTx(db, { tenantId, mode: 'read' }, (tx) => caseTwins(tx, scope.scopeId, items));
  if (twins.length === 0) return [];
  const former = twins.map(({ externalId }) => externalId);
  const missing = await connector.missingPaths(scope.externalId, former, signal);
  return twins.filter(({ externalId }) => missing.has(externalId));
}
