import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import { assetsOfSuppression } from '../signals/active-suppressions.sql.ts';
import type { Suppression } from '../signals/suppression.ts';
import { countToScanAgain } from './dry-run.sql.ts';
import { countReachable, isOfAnotherDomain } from './no-effect.sql.ts';
import type { NoEffect } from './suppression-schema.ts';

/** Steps of `assetsOfSuppression` in which assets are looked for. */
const MOST_STEPS = 5;
/** Assets that are looked at to say of a new rule whether it changes any. */
const MOST_LOOKED = 1_000;

/** They name no asset and no domain, and count nothing that the caller may not see. */
const MESSAGES: Readonly<Record<NoEffect['reason'], string>> = {
  scope_of_another_domain:
    'Another domain governs this scope, and a rule of a domain changes no asset of another one. An owner of that ' +
    'domain can make the rule, or a governance administrator one for the whole tenant.',
  no_finds:
    'No asset that you may see has a find that the rule is about. It would apply to assets that are scanned later.',
  not_of_this_domain:
    'Each asset that you may see with such a find is of another domain too, or of none. A rule of a domain changes ' +
    'assets of that domain alone.',
  scan_first:
    'The assets with finds of this detector were scanned by a former release. The rule reaches them after their next scan.',
  suppressed_already: 'Other rules have already taken the finds that this rule is about.',
};

export const noEffectOf = (reason: NoEffect['reason']): NoEffect => ({ reason, message: MESSAGES[reason] });

export const assetsSeenBy = (principal: Principal): Visibility =>
  visibilityOf(principal, 'asset.metadata.read') ?? { kind: 'domains', domainIds: [] };

/**
 * Whether the caller gets exact counts of a rule, and that it changes nothing. For a value, that would let callers
 * who may not read evidence test which values the tenant holds.
 */
export const mayKnowCounts = (principal: Principal, { kind }: Suppression): boolean =>
  kind !== 'value' ||
  visibilityOf(principal, 'asset.evidence.excerpt.read')?.kind === assetsSeenBy(principal).kind;

/**
 * The first visible assets that a rule may be about, a few more than `most` at times. `next` is not null where not all
 * were looked at.
 */
export async function firstAssets(tx: Tx, rule: Suppression, visibility: Visibility, most: number) {
  const assetIds: AssetId[] = [];
  let next: AssetId | null = null;
  for (let step = 0; step < MOST_STEPS; step++) {
    const found = await assetsOfSuppression(tx, rule, next ?? '', visibleAsset(visibility));
    assetIds.push(...found.assetIds);
    next = found.next;
    if (next === null || assetIds.length > most) break;
  }
  return { assetIds, next };
}

/**
 * Why a rule changes none of the assets that it may be about, as far as that follows from what is stored of them. Null if
 * it may change some.
 * @param assetIds all assets that the rule may be about and the caller may see
 * @param toScanAgain the number of assets with finds of the detector that must be scanned before
 */
export async function reasonOfNoEffect(
  tx: Tx,
  rule: Suppression,
  assetIds: readonly AssetId[],
  toScanAgain: number,
): Promise<NoEffect['reason'] | null> {
  if (assetIds.length === 0) return toScanAgain > 0 ? 'scan_first' : 'no_finds';
  const { ofDomain, scored, left } = await countReachable(tx, rule, assetIds);
  if (ofDomain === 0) return 'not_of_this_domain';
  if (scored === 0) return 'scan_first';
  return left === 0 ? 'suppressed_already' : null;
}

/** Why a new rule changes no asset now, without scoring any. Null if it may change some, or if that is not known. */
export async function noEffectOfNew(
  tx: Tx,
  principal: Principal,
  rule: Suppression,
): Promise<NoEffect | null> {
  if (await isOfAnotherDomain(tx, rule)) return noEffectOf('scope_of_another_domain');
  if (!mayKnowCounts(principal, rule)) return null;
  const visibility = assetsSeenBy(principal);
  const { assetIds, next } = await firstAssets(tx, rule, visibility, MOST_LOOKED);
  if (next !== null) return null;
  const toScanAgain = assetIds.length > 0 ? 0 : await countToScanAgain(tx, rule, visibility, 1);
  const reason = await reasonOfNoEffect(tx, rule, assetIds, toScanAgain);
  return reason && noEffectOf(reason);
}
