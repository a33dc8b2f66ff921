import type { AiProvider } from '../ai/provider.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Config } from '../config/config.ts';
import type { Db, Tx } from '../db/tx.ts';
import { lockAssets } from '../findings/lock-assets.sql.ts';
import type { Clock } from '../kernel/clock.ts';
import { notFound } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { scoreRetained } from '../scan/score-retained.ts';
import type { TaxonomyInUse } from '../scan/taxonomy-cache.ts';
import { loadSuppression } from '../signals/active-suppressions.sql.ts';
import type { Suppression } from '../signals/suppression.ts';
import { audited, type By, shownSuppression } from './change-suppression.ts';
import { countToScanAgain, type OpenWork, openWorkOf, rolledBack, takenBy } from './dry-run.sql.ts';
import { isOfAnotherDomain } from './no-effect.sql.ts';
import { assetsSeenBy, firstAssets, mayKnowCounts, noEffectOf, reasonOfNoEffect } from './no-effect.ts';
import { ruleOf } from './propose-suppression.ts';
import type { DryRun, SuppressionRequest } from './suppression-schema.ts';

/** Assets that one dry run scores, which takes a few seconds. Their rows are locked meanwhile. */
const EXAMINED = 100;
const MOST_TO_SCAN = 10_000;
/**
 * Counts for a value are rounded down to tens for callers who may not read evidence, and smaller ones are hidden.
 * Exact ones would let them test which values the tenant holds.
 */
const ROUNDED_TO = 10;
const SCOPE_NOTE =
  'Counts only assets that you may see, and of these the first hundred that the rule may be about.';

/**
 * What inference uses of a tenant now. It may call the AI provider. Throws `blocked_capability`
 * without its answer. The detectors are imported when first needed.
 */
export async function usedTaxonomy(
  { stopping, ...parts }: { config: Config; db: Db; ai: AiProvider; clock: Clock; stopping: AbortSignal },
  tenantId: TenantId,
): Promise<TaxonomyInUse> {
  const { embeddedTaxonomy } = await import('../scan/taxonomy-cache.ts');
  return embeddedTaxonomy(parts, tenantId, stopping);
}

/** Tries a rule that is not stored. Throws as `ruleOf`. */
export async function tryRequest(
  tx: Tx,
  by: Omit<By, 'origin'>,
  request: SuppressionRequest,
  taxonomy: TaxonomyInUse,
): Promise<DryRun> {
  const rule = await ruleOf(tx, by.principal, request, by.now);
  const { kind, detectorId, domainId } = rule;
  by.audit({
    category: 'governance',
    type: 'suppression_dry_run',
    details: { kind, detectorId, domainId },
  });
  return dryRun(tx, by.principal, rule, taxonomy, by.now);
}

/** Tries a stored rule, whatever its state. Throws `not_found`. */
export async function tryStored(
  tx: Tx,
  by: Omit<By, 'origin'>,
  visibility: Visibility,
  suppressionId: string,
  taxonomy: TaxonomyInUse,
): Promise<DryRun> {
  audited(by, 'suppression_dry_run', await shownSuppression(tx, visibility, suppressionId));
  const rule = await loadSuppression(tx, suppressionId);
  if (rule === null) throw notFound();
  return dryRun(tx, by.principal, rule, taxonomy, by.now);
}

/**
 * What a rule would change: it is applied to assets that the caller may see, in the caller's transaction, and all of
 * it is rolled back. The rule need not be stored.
 */
async function dryRun(
  tx: Tx,
  principal: Principal,
  rule: Suppression,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<DryRun> {
  const visibility = assetsSeenBy(principal);
  const found = await firstAssets(tx, rule, visibility, EXAMINED);
  const assetIds = found.assetIds.slice(0, EXAMINED);
  const truncated = found.next !== null || found.assetIds.length > EXAMINED;
  const { rules, version } = taxonomy.suppressions;
  const others = rules.filter(({ suppressionId }) => suppressionId !== rule.suppressionId);
  const scored = async (suppressions: TaxonomyInUse['suppressions']) => {
    await scoreRetained(tx, assetIds, { ...taxonomy, suppressions }, now);
    return openWorkOf(tx, assetIds, visibility);
  };
  const { before, after, taken } = await rolledBack(tx, async () => {
    await lockAssets(tx, assetIds);
    return {
      // Scored without the rule first, so that only its own effect is counted.
      before: await scored({ version, rules: others }),
      after: await scored({ version, rules: [...others, rule] }),
      taken: await takenBy(tx, assetIds, rule.suppressionId),
    };
  });
  const signals = taken.flat();
  const counts = {
    assetsExamined: assetIds.length,
    assetsAffected: taken.length,
    signalsRemoved: signals.filter(({ remaining }) => remaining === 0).length,
    signalsReduced: signals.filter(({ remaining }) => remaining > 0).length,
    ...changes(before, after),
    assetsToScanAgain: await countToScanAgain(tx, rule, visibility, MOST_TO_SCAN),
  };
  const base = { scopeNote: SCOPE_NOTE, truncated };
  if (!mayKnowCounts(principal, rule)) return { ...base, ...rounded(counts), noEffect: null };
  if (taken.length > 0) return { ...base, ...counts, noEffect: null };
  if (await isOfAnotherDomain(tx, rule))
    return { ...base, ...counts, noEffect: noEffectOf('scope_of_another_domain') };
  if (truncated) return { ...base, ...counts, noEffect: null };
  const reason = await reasonOfNoEffect(tx, rule, assetIds, counts.assetsToScanAgain);
  // Others are scored, and of other domains by what the model says without any rule, or not like the example.
  const otherwise = rule.kind === 'template' || rule.domainId === null ? 'no_finds' : 'not_of_this_domain';
  return { ...base, ...counts, noEffect: noEffectOf(reason ?? otherwise) };
}

const rounded = <Name extends string>(counts: Record<Name, number>) =>
  Object.fromEntries(
    Object.entries<number>(counts).map(([name, count]) => [
      name,
      count < ROUNDED_TO ? null : count - (count % ROUNDED_TO),
    ]),
  ) as Record<Name, number | null>;

/** The difference between the open work without and with a rule. */
export function changes({ findings, candidates }: OpenWork, after: OpenWork) {
  const rank = (severity: (typeof SEVERITIES)[number]) => SEVERITIES.indexOf(severity);
  const gone = <V>(from: ReadonlyMap<string, V>, to: ReadonlyMap<string, V>) =>
    [...from.keys()].filter((key) => !to.has(key)).length;
  return {
    findingsResolved: gone(findings, after.findings),
    findingsLessened: [...findings].filter(([key, severity]) => {
      const now = after.findings.get(key);
      return now !== undefined && rank(now) < rank(severity);
    }).length,
    findingsOpened: gone(after.findings, findings),
    candidatesWithdrawn: gone(candidates, after.candidates),
    candidatesAdded: gone(after.candidates, candidates),
    candidatesInOtherBand: [...candidates].filter(([key, band]) => {
      const now = after.candidates.get(key);
      return now !== undefined && now !== band;
    }).length,
  };
}
