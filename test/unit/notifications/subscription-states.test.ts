import { expect, test } from 'vitest';
import {
  nextSubscriptionState,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionTrigger,
} from '../../../core/notifications/subscription-states.ts';

/** The specification's table, and `expired` registered again: where each trigger leads from none, and from each status in the order of the header. */
const TABLE = `
                         none    active    expiring  expired  error   removed
subscribed               active  -         -         active   active  active
renewed                  -       active    active    -        -       -
renewal_failed           -       error     error     -        -       -
lapsed                   -       expired   expired   -        -       -
reauthorizationRequired  -       expiring  -         -        -       -
subscriptionRemoved      -       removed   removed   removed  removed removed
`;

const [[, ...header] = [], ...rows] = TABLE.split('\n')
  .slice(1, -1)
  .map((line) => line.split(/ +/));

test('the table has every status', () => {
  expect(header).toEqual(['none', ...SUBSCRIPTION_STATUSES]);
});

test.each(rows)('%s leads where the table says, and nowhere else', (trigger, ...to) => {
  const next = [null, ...SUBSCRIPTION_STATUSES].map((status) =>
    nextSubscriptionState(status, trigger as SubscriptionTrigger),
  );
  expect(next.map((status) => status ?? '-')).toEqual(to);
});

test('no state and trigger stand in the table twice', () => {
  const keys = SUBSCRIPTION_TRANSITIONS.map(({ from, trigger }) => `${from} ${trigger}`);
  expect(new Set(keys).size).toBe(keys.length);
});
