import type { Logger } from '../observability/log.ts';

/** A message in this queue only says that there may be work. */
export const DOORBELL_QUEUE = 'work-doorbells';

/** Maximum number of doorbells for one batch of new units. It wakes enough replicas without filling the queue. */
const MAX_BELLS = 8;

/** Rings doorbells. A lost doorbell delays work until the sweep rings again, but loses none. */
export type Doorbell = {
  /** @param delayMs how long the message stays invisible; at most 7 days */
  ring(count: number, delayMs: number): Promise<void>;
  /** Whether a message is visible now: neither delayed nor held by a process. */
  isRinging(): Promise<boolean>;
};

/** The number of doorbells for a number of due units: one per lease batch, up to a maximum. */
export const bellsFor = (units: number, leaseBatch: number): number =>
  Math.min(Math.ceil(units / leaseBatch), MAX_BELLS);

/** Rings if there is a doorbell. A failure is logged, and the sweep rings later. */
export async function ringOrWarn(
  { doorbell, log }: { doorbell: Doorbell | null; log: Pick<Logger, 'warn'> },
  count: number,
  delayMs: number,
): Promise<void> {
  await doorbell?.ring(count, delayMs).catch((error: unknown) => log.warn('doorbell_failed', {}, error));
}
