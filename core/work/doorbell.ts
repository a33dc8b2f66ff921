import type { Logger } from '../observability/log.ts';

/** Messages in the queue say "there may be work" and nothing else. */
export const DOORBELL_QUEUE = 'work-doorbells';

/** Doorbells rung for one batch of new units, at most: enough to wake the replicas, few enough to drain. */
const MAX_BELLS = 8;

/** Rings doorbells. Losing one costs delay until the sweep rings again, never work. */
export type Doorbell = {
  /** @param delayMs how long the message stays invisible; at most 7 days */
  ring(count: number, delayMs: number): Promise<void>;
  /** Whether one waits to be heard now: neither hidden for later, nor held by a process that may have died. */
  isRinging(): Promise<boolean>;
};

/** How many doorbells so many due units are worth: one per lease batch, bounded. */
export const bellsFor = (units: number, leaseBatch: number): number =>
  Math.min(Math.ceil(units / leaseBatch), MAX_BELLS);

/** Rings where there is a bell. One that cannot be rung is the sweep's to ring. */
export async function ringOrWarn(
  { doorbell, log }: { doorbell: Doorbell | null; log: Pick<Logger, 'warn'> },
  count: number,
  delayMs: number,
): Promise<void> {
  await doorbell?.ring(count, delayMs).catch((error: unknown) => log.warn('doorbell_failed', {}, error));
}
