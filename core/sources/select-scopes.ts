import type { AuditEntry } from '../audit/event.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { unreadableScopeIds } from '../integrations/configured-sources.ts';
import { connectorFor, type SourceParts } from '../integrations/connector-for.ts';
import { ServiceError } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { beginEnd, ENDED_AT_ONCE, endAssets } from './end-scope.sql.ts';
import {
  countSelection,
  type FamilyScopes,
  lockFamily,
  notConfigured,
  notSelected,
  scansOfNotSelected,
  storeSelection,
  unknownScopes,
} from './selection.sql.ts';
import {
  beyondConfiguration,
  END_WITHIN_MS,
  MAX_SELECTED,
  MAX_SHOWN,
  notOfSource,
  type Selected,
  type Selection,
  selectionSet,
} from './selection.ts';

/**
 * Selects the scopes of a family that are scanned, among those that the configuration selects, and does with the assets of
 * the others what the caller says. Nothing needs to be configured to select nothing. Throws `blocked_capability` for what
 * the configuration does not read, and `conflict` if assets would end while a scan of them runs.
 */
export async function selectScopes(
  parts: SourceParts,
  tx: Tx,
  family: SourceFamily,
  { scopeIds, unselected }: Selection,
  { audit, now }: { audit: (entry: AuditEntry) => void; now: number },
): Promise<Selected> {
  const isNothing = scopeIds?.length === 0;
  const connector = isNothing ? null : connectorFor(parts, tx.tenantId, family);
  // A credential that cannot be read deselects nothing.
  const unreadable = unreadableScopeIds(parts.config, family);
  const configured =
    connector?.scopeIds === undefined || unreadable === null ? null : [...connector.scopeIds, ...unreadable];
  const scopes = await lockFamily(tx, family);
  if (scopes === null)
    throw new ServiceError('conflict', 'The source was never connected: POST /api/sources/connect.');
  if (scopeIds !== null) await assertSelectable(tx, family, scopes, scopeIds, configured);
  await storeSelection(tx, scopes, scopeIds, configured, now);
  const ended =
    unselected === 'end' ? await endNotSelected(tx, scopes, audit, now) : { scopes: 0, assets: 0 };
  const kept = await notSelected(tx, scopes, MAX_SHOWN + 1);
  const counts = await countSelection(tx, scopes);
  const answer = {
    selected: counts.selected,
    notSelected: counts.notSelected,
    ended,
    kept: bounded(kept, MAX_SHOWN),
    assetsKept: counts.assetsNotSelected,
    complete: unselected === 'keep' || counts.assetsNotSelected === 0,
  };
  audit(selectionSet(family, unselected, answer));
  return answer;
}

async function assertSelectable(
  tx: Tx,
  family: SourceFamily,
  scopes: FamilyScopes,
  scopeIds: readonly string[],
  configured: readonly string[] | null,
): Promise<void> {
  const unknown = await unknownScopes(tx, scopes, scopeIds);
  if (unknown.size > 0) throw notOfSource(scopeIds, unknown);
  const count = await notConfigured(tx, scopes, scopeIds, configured);
  if (count > 0) throw beyondConfiguration(family, count, 'connect the source again');
}

async function endNotSelected(
  tx: Tx,
  scopes: FamilyScopes,
  audit: (entry: AuditEntry) => void,
  now: number,
): Promise<{ scopes: number; assets: number }> {
  if ((await scansOfNotSelected(tx, scopes)) > 0)
    throw new ServiceError(
      'conflict',
      'A scan of a scope that is not selected has not ended: cancel it first.',
    );
  const until = performance.now() + END_WITHIN_MS;
  const ended = { scopes: 0, assets: 0 };
  for (const { scopeId } of await notSelected(tx, scopes, MAX_SELECTED)) {
    if (performance.now() >= until) break;
    await beginEnd(tx, scopeId, now);
    let assets = 0;
    let batch: number;
    do {
      batch = await endAssets(tx, scopeId);
      assets += batch;
    } while (batch === ENDED_AT_ONCE && performance.now() < until);
    ended.scopes++;
    ended.assets += assets;
    audit({
      category: 'scan',
      type: 'scope_ended',
      target: { kind: 'scope', id: scopeId },
      details: { assets },
    });
  }
  return ended;
}
