import type { Capability } from '../authz/capabilities.ts';
import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type Condition, type Dimension, type Field, ME, type Plan, type Subject } from './plan.ts';
import { NAMED } from './plan-words.ts';
import { assignedOwners } from './vocabulary.sql.ts';

/** What a row of a subject, or a condition on one, needs: one of these. */
const NEEDS: Readonly<Record<Subject, readonly Capability[]>> = {
  assets: ['asset.metadata.read'],
  findings: ['finding.read'],
  candidates: ['review.read'],
  actions: ['action.draft', 'audit.read'],
  scopes: ['scan.job.read'],
};

/** Rows that are looked at, if only their placement is. What else is looked at for each counts as many rows more. */
const MAX_LOOKED = 100_000;

/** Fields for which more is read of a row. */
const COSTLY: readonly Field[] = ['exposure', 'grantee', 'identifier', 'findFamily', 'has', 'classified'];

/**
 * What the rows of a plan may be of: the narrowest of what the asker may see of each thing that the plan is about.
 * Throws `not_permitted` for what they may not read.
 */
export function reachOf(
  principal: Principal,
  visibility: Visibility,
  { subject, where: all, share = [] }: Plan,
): Visibility {
  const where = [...all, ...share];
  const about = [subject, ...where.flatMap((each) => (each.field === 'has' ? [each.of] : []))];
  const reaches = about.map((each) => {
    const held = NEEDS[each].flatMap((capability) => visibilityOf(principal, capability) ?? []);
    const widest = held.find(({ kind }) => kind === 'tenant') ?? held[0];
    if (widest === undefined)
      throw new ServiceError('not_permitted', `Your roles do not allow you to read ${each}.`);
    return widest;
  });
  const reach = [visibility, ...reaches].find(({ kind }) => kind === 'domains') ?? visibility;
  if (reach.kind === 'domains' && where.some(asksForUnclassified))
    throw new ServiceError(
      'not_permitted',
      'You see the assets of your domains. Those without a domain are not among them.',
    );
  return visibility.kind === reach.kind ? visibility : reach;
}

const asksForUnclassified = (condition: Condition): boolean =>
  condition.field === 'provenance' && condition.not !== true && condition.any.includes('unclassified');

/** The plan as the principal means it: `me` is they, and what they own are their domains. */
export async function planOf(tx: Tx, plan: Plan, { principalId, ownedDomains }: Principal): Promise<Plan> {
  const beside = [...plan.where, ...(plan.share ?? [])].flatMap((each) =>
    each.field === 'owner' && each.any.includes(ME) ? each.any.filter((id) => id !== ME) : [],
  );
  const owned = beside.length === 0 ? [] : await assignedOwners(tx, beside);
  const resolved = <C extends Condition>(condition: C): C => {
    if (condition.field === 'has') return { ...condition, where: condition.where.map(resolved) };
    if (NAMED[condition.field] !== 'person' || !('any' in condition)) return condition;
    const any: readonly string[] = condition.any;
    // Delegates are no owners, and what they see of their domains is theirs too.
    if (condition.field === 'owner' && any.includes(ME)) {
      const ofOthers = owned.filter((each) => any.includes(each.principalId));
      const domainIds = [...ownedDomains, ...ofOthers.map(({ domainId }) => domainId)];
      return { ...condition, field: 'domain', any: domainIds.length === 0 ? [''] : domainIds } as C;
    }
    return { ...condition, any: any.map((id) => (id === ME ? principalId : id)) };
  };
  return {
    ...plan,
    where: plan.where.map(resolved),
    ...(plan.share && { share: plan.share.map(resolved) }),
  };
}

/**
 * How many rows may be looked at: an estimate of the cost of one row by what the plan reads of it, before the plan runs.
 */
export function rowsInBudget({ share, ...plan }: Plan): number {
  // The rows of the part are read apart.
  if (share !== undefined) return Math.floor(rowsInBudget({ ...plan, where: [...plan.where, ...share] }) / 2);
  const { subject, where, groupBy, order, show } = plan;
  const costOf = ({ field }: Condition): number => (field === 'copies' ? 8 : COSTLY.includes(field) ? 4 : 2);
  const conditions = where.reduce((cost, condition) => cost + costOf(condition), 1);
  const ofGroup = (dimension: Dimension): number => (dimension.startsWith('grantee') ? 8 : 2);
  const others =
    (order?.by === 'copies' || order?.by === 'parts' ? 8 : 0) +
    groupBy.reduce((cost, dimension) => cost + ofGroup(dimension), 0) +
    (show === 'size' ? 2 : 0);
  return Math.floor(MAX_LOOKED / (subject === 'assets' ? conditions + others : conditions + others + 2));
}
