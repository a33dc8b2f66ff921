import { z } from 'zod';
import { PersonSchema } from '../actions/action-schema.ts';
import type { Visibility } from '../authz/principal.ts';
import { violatedConstraint } from '../db/errors.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';
import type { Asker } from './answer.ts';
import { PlanSchema } from './plan.ts';

/** Plans that a person may save. */
const MAX_PLANS = 200;

export const NewPlanSchema = z.strictObject({
  name: z.string().trim().min(1).max(120),
  plan: PlanSchema,
  shared: z.boolean().default(false),
});
type NewPlan = z.infer<typeof NewPlanSchema>;

/** A plan that was saved under a name. */
export const SavedPlanSchema = z.object({
  planId: z.string(),
  name: z.string(),
  plan: PlanSchema,
  shared: z.boolean().describe('Whether people may see it who may see at least what its author saw'),
  author: PersonSchema,
  createdAt: z.iso.datetime(),
});
type SavedPlan = z.infer<typeof SavedPlanSchema>;

/**
 * Condition on `analyst_plans l`: the reader is its author, or it is shared and the reader may see every domain that
 * its author saw. The name of a plan and its values may reveal all of them.
 */
const visiblePlan = (tx: Tx, principalId: PrincipalId, visibility: Visibility): Statement => sql`(
  l.created_by = ${principalId} or (l.shared and ${
    visibility.kind === 'tenant'
      ? sql`true`
      : sql`not l.tenant_wide and not exists (
          select from analyst_plan_domains d
           where d.tenant_id = ${tx.tenantId} and d.plan_id = l.plan_id
             and d.domain_id <> all(${visibility.domainIds}::text[]))`
  }))`;

const select = (tx: Tx, { principal, visibility }: Asker, also: Statement): Statement => sql`
  select l.plan_id as "planId", l.name, l.plan, l.shared, l.created_at as "createdAt", p.principal_id as "principalId",
         p.display_name as "displayName"
    from analyst_plans l join principals p on p.tenant_id = l.tenant_id and p.principal_id = l.created_by
   where l.tenant_id = ${tx.tenantId} and ${visiblePlan(tx, principal.principalId, visibility)} and ${also}`;

type Row = Omit<SavedPlan, 'author' | 'createdAt'> & SavedPlan['author'] & { createdAt: Date };

const toPlan = ({ principalId, displayName, createdAt, ...row }: Row): SavedPlan => ({
  ...row,
  author: { principalId, displayName },
  createdAt: createdAt.toISOString(),
});

/** Plans that the reader may see, by name; at most `limit`. */
export async function listPlans(tx: Tx, asker: Asker, limit: number): Promise<SavedPlan[]> {
  const rows = await tx.query<Row>(
    sql`${select(tx, asker, sql`true`)} order by lower(l.name), l.plan_id limit ${limit}`,
  );
  return rows.map(toPlan);
}

/** Throws `not_found` if there is none, or the reader may not see it. */
export async function findPlan(tx: Tx, asker: Asker, planId: string): Promise<SavedPlan> {
  const [row] = await tx.query<Row>(select(tx, asker, sql`l.plan_id = ${planId}`));
  if (row === undefined) throw notFound();
  return toPlan(row);
}

/**
 * Saves a plan with the domains that its author sees now. Throws `conflict` for a name that is taken, or too many
 * plans.
 */
export async function savePlan(
  tx: Tx,
  asker: Asker,
  { name, plan, shared }: NewPlan,
  now: number,
): Promise<SavedPlan> {
  const { principalId } = asker.principal;
  const { visibility } = asker;
  const [count] = await tx.query<{ plans: number }>(sql`
    select count(*)::int as plans from analyst_plans
     where tenant_id = ${tx.tenantId} and created_by = ${principalId}`);
  if ((count?.plans ?? 0) >= MAX_PLANS)
    throw new ServiceError('conflict', `You have ${MAX_PLANS} saved plans. Delete one first.`);
  const planId = newId('pln', now);
  await tx
    .execute(sql`
      insert into analyst_plans (tenant_id, plan_id, created_by, name, plan, shared, tenant_wide, created_at)
      values (${tx.tenantId}, ${planId}, ${principalId}, ${name}, ${sql.json(plan)}::jsonb, ${shared},
              ${visibility.kind === 'tenant'}, ${new Date(now)})`)
    .catch((error: unknown) => {
      if (violatedConstraint(error) !== 'analyst_plans_name') throw error;
      throw new ServiceError('conflict', 'You have a saved plan of this name.');
    });
  if (visibility.kind === 'domains') {
    await tx.execute(sql`
      insert into analyst_plan_domains (tenant_id, plan_id, domain_id)
      select ${tx.tenantId}, ${planId}, domain_id from unnest(${visibility.domainIds}::text[]) as domain_id`);
  }
  return findPlan(tx, asker, planId);
}

/** Deletes a plan of its author. Throws `not_found` for all others. */
export async function deletePlan(tx: Tx, principalId: PrincipalId, planId: string): Promise<void> {
  const deleted = await tx.execute(sql`
    delete from analyst_plans
     where tenant_id = ${tx.tenantId} and plan_id = ${planId} and created_by = ${principalId}`);
  if (deleted === 0) throw notFound();
}
