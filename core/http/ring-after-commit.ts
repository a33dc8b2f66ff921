import type { Runtime } from '../runtime.ts';

/** Has doorbells rung for units that this request enqueues or frees, once it is committed. */
export const ringAfterCommit = (
  {
    runtime: { doorbell },
    afterCommit,
  }: { runtime: Runtime; afterCommit: (task: () => Promise<void>) => void },
  bells = 1,
): void => afterCommit(async () => doorbell?.ring(bells, 0));
