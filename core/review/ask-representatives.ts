import { forEachTenant } from '../authz/for-each-tenant.ts';
import { tenantsWithScopes } from '../authz/tenants.sql.ts';
import type { Tx } from '../db/tx.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { relatedAssets } from './related-assets.sql.ts';
import {
  askRepresentative,
  isGroupAsked,
  type Likeliest,
  lockFree,
  nextAssets,
  placesFor,
  representativesAmong,
  storeWalk,
  unaskedAmong,
  withdrawRepresentative,
} from './representatives.sql.ts';

/** Assets looked at in one run of a tenant. */
const PAGE = 1_000;
/** Groups looked for in one run of a tenant: each costs a search for similar assets. */
const MAX_GROUPS = 50;
const LEAST_GROUP = 3;
const MAX_COUNTED = 200;
/** For so long after an answer nobody else is asked about the group. An answer can be revised as long. */
const ANSWERED_MS = 30 * 24 * 60 * 60 * 1000;

const answeredSince = (now: number) => new Date(now - ANSWERED_MS);

/** Similar assets about which nobody is asked, and all that are related to the one that they were found by. */
type Group = { representative: { assetId: string; likeliest: Likeliest }; size: number; related: string[] };

/**
 * Asks about one asset of each group of similar assets about which nobody has been asked: the likeliest one, in the domain
 * that is likeliest, the largest groups first. It looks at the next assets of each tenant and goes on there in the next run.
 * Concurrent and repeated runs are safe. Returns the number of questions.
 */
export async function askRepresentatives(
  db: Db,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<number> {
  let asked = 0;
  await forEachTenant(await tenantsWithScopes(db), signal, async (tenantId) => {
    // Tenants run at once: the sum is read after the wait, or the questions of others are lost from it.
    const ofTenant = await askInTenant(db, tenantId, clock, signal);
    asked += ofTenant;
  });
  return asked;
}

async function askInTenant(db: Db, tenantId: TenantId, clock: Clock, signal: AbortSignal): Promise<number> {
  const { groups, after } = await withTx(db, { tenantId, mode: 'read', signal }, (tx) =>
    findGroups(tx, clock()),
  );
  return withTx(db, { tenantId, mode: 'write', signal }, async (tx) => {
    await storeWalk(tx, after);
    let asked = 0;
    for (const group of groups) if (await ask(tx, group, clock())) asked += 1;
    return asked;
  });
}

async function findGroups(tx: Tx, now: number): Promise<{ groups: Group[]; after: string }> {
  const page = await nextAssets(tx, PAGE);
  const groups: Group[] = [];
  const seen = new Set<string>();
  let after = page.length < PAGE ? '' : (page.at(-1) ?? '');
  let searched = 0;
  for (const unasked of await unaskedAmong(tx, page)) {
    if (seen.has(unasked.assetId)) continue;
    if (searched === MAX_GROUPS) break;
    searched += 1;
    after = searched === MAX_GROUPS ? unasked.assetId : after;
    const related = [...new Set((await relatedAssets(tx, unasked.assetId)).map(({ assetId }) => assetId))];
    const group = [unasked, ...(await unaskedAmong(tx, related))];
    for (const { assetId } of group) seen.add(assetId);
    if (
      group.length < LEAST_GROUP ||
      (await isGroupAsked(tx, [unasked.assetId, ...related], answeredSince(now)))
    )
      continue;
    const [representative] = group
      .flatMap(({ assetId, likeliest }) => (likeliest === null ? [] : [{ assetId, likeliest }]))
      .sort((a, b) => b.likeliest.confidence - a.likeliest.confidence);
    if (representative !== undefined)
      groups.push({ representative, size: group.length, related: [unasked.assetId, ...related] });
  }
  return { groups: groups.sort((a, b) => b.size - a.size), after };
}

/** Asks, unless somebody has asked meanwhile, or the domain has enough of such questions. */
async function ask(tx: Tx, { representative, size, related }: Group, now: number): Promise<boolean> {
  const { assetId, likeliest } = representative;
  if ((await placesFor(tx, likeliest.domainId)) <= 0 || !(await lockFree(tx, assetId))) return false;
  const [present] = await unaskedAmong(tx, [assetId]);
  if (present?.likeliest?.inferenceId !== likeliest.inferenceId) return false;
  // Those like the representative are not quite those like the asset that the group was found by.
  const like = (await relatedAssets(tx, assetId)).map((each) => each.assetId);
  if (await isGroupAsked(tx, [...related, ...like], answeredSince(now))) return false;
  await askRepresentative(tx, assetId, likeliest, Math.min(size - 1, MAX_COUNTED), now);
  return true;
}

/** Withdraws questions about representatives if somebody is asked about an asset like them, or has answered. */
export async function withdrawDecided(
  tx: Tx,
  related: ReadonlyMap<string, readonly string[]>,
  now: number,
): Promise<void> {
  for (const assetId of await representativesAmong(tx, [...related.keys()]))
    if (
      (await isGroupAsked(tx, related.get(assetId) ?? [], answeredSince(now))) &&
      (await lockFree(tx, assetId))
    )
      await withdrawRepresentative(tx, assetId, now);
}
