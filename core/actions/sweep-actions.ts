import { withEngineTx } from '../db/tx.ts';
import type { ActionParts } from './action-parts.ts';
import { type DueAction, dueActions } from './actions.sql.ts';
import { executeAction } from './execute.ts';

const BATCH = 100;
/** Concurrent executions. A source that does not respond then delays few others. */
const AT_ONCE = 4;

/**
 * Executes the due actions of all tenants: approved ones, postponed ones, and those with an expired lease. Concurrent
 * runs are safe, because each action is claimed first.
 */
export async function sweepActions(
  parts: ActionParts,
  { signal, budgetMs }: { signal: AbortSignal; budgetMs: number },
): Promise<void> {
  const deadline = parts.clock() + budgetMs;
  const due = (await withEngineTx(parts.db, (tx) => dueActions(tx, parts.clock(), BATCH), signal)).values();
  const lane = async () => {
    for (const each of due) {
      if (signal.aborted || parts.clock() >= deadline) return;
      await executeOne(parts, each);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const executeOne = (parts: ActionParts, { tenantId, actionId }: DueAction): Promise<void> =>
  executeAction(parts, tenantId, actionId).catch((error: unknown) =>
    parts.log.warn('action_execution_failed', { tenantId }, error),
  );
