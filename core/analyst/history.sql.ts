import { z } from 'zod';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';
import { type Answer, PLANNERS, type Planner, UNDERSTANDING_STATES } from './answer-schema.ts';
import { PlanSchema } from './plan.ts';

/** How many questions of a person are kept (specification, *Limits*). */
export const KEPT_QUERIES = 25;

/** A question as it was asked. `plan` and `resultCount` are null if it was not run. */
export const PastQuerySchema = z.object({
  queryId: z.string(),
  question: z.string(),
  planner: z.enum(PLANNERS),
  state: z.enum(UNDERSTANDING_STATES),
  plan: PlanSchema.nullable(),
  resultCount: z.int().nullable(),
  askedAt: z.iso.datetime(),
});
type PastQuery = z.infer<typeof PastQuerySchema>;

/** Keeps a question of a person, and removes the oldest beyond `KEPT_QUERIES`. Returns its id. */
export async function keepQuery(
  tx: Tx,
  principalId: PrincipalId,
  { question, planner, answer }: { question: string; planner: Planner; answer: Answer },
  now: number,
): Promise<string> {
  const queryId = newId('qry', now);
  const plan = answer.plan === null ? null : sql.json(answer.plan);
  await tx.query(sql`
    insert into analyst_queries (tenant_id, query_id, principal_id, question, planner, state, plan, result_count, asked_at)
    values (${tx.tenantId}, ${queryId}, ${principalId}, ${question}, ${planner}, ${answer.understanding.state},
            ${plan}::jsonb, ${answer.result?.count ?? null}, ${new Date(now)})`);
  await tx.query(sql`
    delete from analyst_queries
     where tenant_id = ${tx.tenantId} and query_id in (
       select query_id from analyst_queries where tenant_id = ${tx.tenantId} and principal_id = ${principalId}
        order by asked_at desc, query_id desc offset ${KEPT_QUERIES})`);
  return queryId;
}

/** The last questions of a person, the newest first. */
export async function listQueries(tx: Tx, principalId: PrincipalId): Promise<PastQuery[]> {
  const rows = await tx.query<Omit<PastQuery, 'askedAt'> & { askedAt: Date }>(sql`
    select query_id as "queryId", question, planner, state, plan, result_count as "resultCount", asked_at as "askedAt"
      from analyst_queries where tenant_id = ${tx.tenantId} and principal_id = ${principalId}
     order by asked_at desc, query_id desc limit ${KEPT_QUERIES}`);
  return rows.map((row) => ({ ...row, askedAt: row.askedAt.toISOString() }));
}
