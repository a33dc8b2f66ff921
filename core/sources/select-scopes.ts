import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { SourceFamily } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { SELECTED_BY, unreadableScopeIds } from '../integrations/configured-sources.ts';
import { connectorFor, type SourceParts } from '../integrations/connector-for.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import { listOf } from '../kernel/list.ts';
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

const MAX_SELECTED = 10_000;
const MAX_SHOWN = 200;
/** A person waits for the answer. */
const END_WITHIN_MS = 8_000;

export const SelectionSchema = z.strictObject({
  scopeIds: z
    .array(z.string().min(1).max(64))
    .max(MAX_SELECTED)
    .nullable()
    .describe('The scopes to scan, and no others. Null: all that the configuration selects'),
  unselected: z
    .enum(['keep', 'end'])
    .describe(
      'What happens to assets of scopes that are not selected. `keep`: they stay as they were last seen. `end`: they leave ' +
        'the inventory as if each had been deleted, and their findings are resolved',
    ),
});
type Selection = z.infer<typeof SelectionSchema>;

export const SelectedSchema = z.object({
  selected: z.int().describe('Scopes that are scanned'),
  notSelected: z.int().describe('Registered scopes that are not scanned'),
  ended: z
    .object({ scopes: z.int().describe('How many scopes'), assets: z.int().describe('How many assets') })
    .describe('What left the inventory by this request'),
  kept: listOf(
    z.object({
      scopeId: z.string().describe('Id of the scope'),
      name: z.string(),
      assets: z.int().describe('How many assets it has'),
    }),
  ).describe('Scopes that are not selected and whose assets stay in the inventory'),
  assetsKept: z.int().describe('Assets of all scopes that are not selected'),
  complete: z.boolean().describe('False: there was no time to end all assets. Send the same request again'),
});
type Selected = z.infer<typeof SelectedSchema>;

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
    kept: { items: kept.slice(0, MAX_SHOWN), truncated: kept.length > MAX_SHOWN },
    assetsKept: counts.assetsNotSelected,
    complete: unselected === 'keep' || counts.assetsNotSelected === 0,
  };
  audit({
    category: 'config',
    type: 'source_selection_set',
    target: { kind: 'source_family', id: family },
    details: {
      unselected,
      selected: answer.selected,
      notSelected: answer.notSelected,
      assetsEnded: ended.assets,
      assetsKept: answer.assetsKept,
    },
  });
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
  if (unknown.size > 0)
    throw validationFailed(
      scopeIds.flatMap((id, at) =>
        unknown.has(id) ? [{ path: `scopeIds.${at}`, message: 'Must be a scope of this source.' }] : [],
      ),
    );
  const count = await notConfigured(tx, scopes, scopeIds, configured);
  if (count > 0)
    throw new ServiceError(
      'blocked_capability',
      `The configuration does not select ${count} of these scopes: name them in ` +
        `${SELECTED_BY[family] ?? 'the configuration'}, and connect the source again.`,
    );
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
