import type { SourceItem } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { leavesOut } from '../narrowing/left-out.ts';
import type { LeftOutCount, WorkUnit } from '../work/unit.ts';
import type { CampaignScope } from './inventory.sql.ts';
import { keepLeftOut, pathsOfFolders } from './left-out.sql.ts';

/** The items of a listing that the scan takes, and how many it leaves out. */
export type Taken = { items: SourceItem[]; leftOut: LeftOutCount[] };

/**
 * Divides the items of a page by what the campaign leaves out. An asset that a rule leaves out stays as it was
 * last read. The folders of the page must be recorded first, because they say where its items are.
 */
export async function takeItems(
  tx: Tx,
  { campaignId }: Pick<WorkUnit, 'campaignId'>,
  { scopeId, narrowing }: Pick<CampaignScope, 'scopeId' | 'narrowing'>,
  listed: readonly SourceItem[],
  now: number,
): Promise<Taken> {
  if (listed.length === 0 || (narrowing.only === null && narrowing.rules.length === 0))
    return { items: [...listed], leftOut: [] };
  const parents = listed.flatMap(({ parentExternalId }) => parentExternalId ?? []);
  const folders =
    parents.length === 0 ? new Map<string, string>() : await pathsOfFolders(tx, scopeId, parents);
  const reasonOf = leavesOut(narrowing);
  const items: SourceItem[] = [];
  const counts = new Map<string, LeftOutCount>();
  const byRule: { externalId: string; ruleId: string }[] = [];
  for (const item of listed) {
    const reason = reasonOf({ ...item, path: placeOf(item, folders) });
    if (reason === null) {
      items.push(item);
      continue;
    }
    const { ruleId } = reason;
    const key = ruleId ?? reason.reason;
    counts.set(key, { ...reason, items: (counts.get(key)?.items ?? 0) + 1 });
    if (ruleId !== null) byRule.push({ externalId: item.externalId, ruleId });
  }
  await keepLeftOut(tx, { scopeId, campaignId }, byRule, now);
  return { items, leftOut: [...counts.values()] };
}

/** The path of an item as its asset gets it. Null if the folder that it is in is not placed yet. */
export function placeOf(
  { name, path, parentExternalId }: SourceItem,
  folders: ReadonlyMap<string, string>,
): string | null {
  if (parentExternalId === undefined || parentExternalId === null) return path;
  const folder = folders.get(parentExternalId);
  if (folder !== undefined) return folder === '' ? name : `${folder}/${name}`;
  // A source that gives more than the name has said where the item is.
  return path === name ? null : path;
}
