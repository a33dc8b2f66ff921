import { type Check, fail, type Outcome, pass, skipped, warn } from './check.ts';

const WARN_MS = 5_000;
const FAIL_MS = 5 * 60_000;

export const CLOCK_CHECKS: readonly Check[] = [
  {
    id: 'clock.database',
    proves: 'The clocks of this machine and of the database agree.',
    needs: ['database.reachable'],
    run: async (subject) => judgeClock('the database', (await subject.server()).aheadMs),
  },
  {
    id: 'clock.storage',
    proves: 'The clocks of this machine and of the storage account agree.',
    needs: ['storage.queue'],
    run: async (subject, signal) => judgeClock('the storage account', (await subject.queue(signal)).aheadMs),
  },
  {
    id: 'clock.identity-provider',
    proves: 'The clocks of this machine and of the identity provider agree: tokens hold for a time.',
    needs: ['identity-provider.discovery'],
    run: async (subject, signal) => {
      const found = await subject.provider(signal);
      return judgeClock('the identity provider', found.problem === null ? found.aheadMs : null);
    },
  },
];

export function judgeClock(whose: string, aheadMs: number | null): Outcome {
  if (aheadMs === null) return skipped(`The answer of ${whose} tells no time.`);
  const apart = Math.abs(aheadMs);
  if (apart <= WARN_MS) return pass(`The clock of ${whose} agrees.`);
  const said = `The clock of ${whose} is ${Math.round(apart / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this one.`;
  const step = `Synchronize the clock of this machine by NTP; if it is right, that of ${whose}.`;
  return apart > FAIL_MS
    ? fail(said, 'Tokens and signatures fail at this distance.', step)
    : warn(said, step);
}
