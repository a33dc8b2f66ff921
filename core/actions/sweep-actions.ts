import { withEngineTx } from '../db/tx.ts';
import { fewAtATime } from '../kernel/few-at-a-time.ts';
import type { ActionParts } from './action-parts.ts';
import { type DueAction, dueActions } from './actions.sql.ts';
import { executeAction } from './execute.ts';

const BATCH = 100;

/**
 * Executes the due actions of all tenants: approved ones, postponed ones, and those with an expired lease. Concurrent
 * runs are safe, because each action is claimed first.
 */
export async function sweepActions(
  parts: ActionParts,
  { signal, budgetMs }: { signal: AbortSignal; budgetMs: number },
): Promise<void> {
  const deadline = parts.clock() + budgetMs;
  const due = await withEngineTx(parts.db, (tx) => dueActions(tx, parts.clock(), BATCH), signal);
  await fewAtATime(due, (each) => executeOne(parts, each), {
    goesOn: () => !signal.aborted && parts.clock() < deadline,
  });
}

const executeOne = (parts: ActionParts, { tenantId, actionId }: DueAction): Promise<void> =>
  executeAction(parts, tenantId, actionId).catch((error: unknown) =>
    parts.log.warn('action_execution_failed', { tenantId }, error),
  );
