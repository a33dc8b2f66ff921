import type { Runtime } from '../runtime.ts';

/** Rings doorbells after the commit, for units that this request enqueues or frees. */
export const ringAfterCommit = (
  {
    runtime: { doorbell },
    afterCommit,
  }: { runtime: Runtime; afterCommit: (task: () => Promise<void>) => void },
  bells = 1,
): void => afterCommit(async () => doorbell?.ring(bells, 0));
