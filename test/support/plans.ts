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
