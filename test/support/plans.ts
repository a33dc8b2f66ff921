import { withClient } from '../../core/db/client.ts';
import type { Db } from '../../core/db/pool.ts';
import type { Statement } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';

/** A node of a plan from `explain (format json)`. */
export type PlanNode = {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Node Type': string;
  'Actual Loops'?: number;
  /** Per loop, like the rows that conditions removed. */
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  /** Over all loops, including child nodes. */
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
};

/** The node and all its descendants. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The queries of a reader's transaction. */
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

/** A statement that ran within a function, and its plan. */
export type RanPlan = { 'Query Text': string; Plan: PlanNode };

/**
 * Opens a session of the tenant with the role of the service. The callback receives a function that returns the plans
 * of all statements, including those within functions and constraints.
 * @param url URL of the superuser
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

/** The number of page accesses to tables and indexes. */
export const pagesMet = (plans: readonly RanPlan[]): number =>
  plans.reduce(
    (sum, { Plan }) => sum + (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0),
    0,
  );
