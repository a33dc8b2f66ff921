import { withClient } from '../../core/db/client.ts';
import type { Db } from '../../core/db/pool.ts';
import type { Statement } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';

/** A node of a plan as `explain (format json)` tells it. */
export type PlanNode = {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Node Type': string;
  'Actual Loops'?: number;
  /** Of each loop, as are those that conditions removed. */
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  /** With those of the nodes below it, of all loops. */
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
};

/** The node and all below it. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The queries that a reader's transaction sends. */
export async function queriesOf(
  db: Db,
  tenantId: TenantId,
  read: (tx: Tx) => Promise<unknown>,
): Promise<Statement[]> {
  const asked: Statement[] = [];
  await withTx(db, { tenantId, mode: 'read' }, (tx) =>
    read({
      ...tx,
      query: (statement) => {
        asked.push(statement);
        return tx.query(statement);
      },
    }),
  );
  return asked;
}

/** A statement that ran within a function, and how. */
export type RanPlan = { 'Query Text': string; Plan: PlanNode };

/**
 * One session of the tenant's, as the service's role. What it is given tells the plans of all statements that ran, those
 * within functions and those of constraints too.
 * @param url of the superuser
 */
export const withPlans = <T>(
  url: string,
  tenantId: TenantId,
  fn: (plansOf: (...statements: Statement[]) => Promise<RanPlan[]>) => Promise<T>,
): Promise<T> =>
  withClient(url, async (session) => {
    let ran: RanPlan[] = [];
    session.on('notice', ({ message = '' }) => ran.push(JSON.parse(message.replace(/^[^{]*/, ''))));
    await session.query(`
      load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
      set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_buffers = on;
      set auto_explain.log_format = json; set auto_explain.log_level = notice; set role svc_app`);
    await session.query('select set_config($1, $2, false)', ['svc.tenant_id', tenantId]);
    return fn(async (...statements) => {
      ran = [];
      for (const { text, values } of statements) await session.query(text, [...values]);
      return ran;
    });
  });

/** How often any page of a table or an index was looked at. */
export const pagesMet = (plans: readonly RanPlan[]): number =>
  plans.reduce(
    (sum, { Plan }) => sum + (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0),
    0,
  );
