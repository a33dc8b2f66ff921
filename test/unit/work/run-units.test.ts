import { expect, test } from 'vitest';
import type { CampaignId, TenantId } from '../../../core/kernel/ids.ts';
import { createLogger } from '../../../core/observability/log.ts';
import { groupOf, runUnits } from '../../../core/work/run-unit.ts';
import { type GroupHandler, nothingUsed, type WorkUnit } from '../../../core/work/unit.ts';

const log = createLogger({ level: 'error', clock: () => 0, destination: { write: () => undefined } });
const ownParts = { handsBack: () => true, completed: () => undefined };
const unit = (unitId: number, more: Partial<WorkUnit> = {}): WorkUnit => ({
  unitId,
  leaseOwner: 'wrk_1',
  tenantId: 'dev' as TenantId,
  campaignId: 'cmp_1' as CampaignId,
  kind: 'rescore_asset',
  payload: {},
  attempt: 1,
  maxAttempts: 4,
  orphaned: false,
  use: nothingUsed(),
  ...more,
});
const idsOf = (units: readonly WorkUnit[]) => units.map(({ unitId }) => unitId);

/** Groups that it was asked to run. It fails each group with one of `bad`. */
function handlerThatFails(...bad: number[]) {
  const asked: number[][] = [];
  const handler: GroupHandler = {
    runGroup: async (units) => {
      asked.push(idsOf(units));
      if (units.some(({ unitId }) => bad.includes(unitId))) throw new Error('bad');
      return units.map(() => ({ inference: 'computed' }));
    },
  };
  return { asked, handlers: { rescore_asset: handler, process_asset: async () => ({}) } };
}

test('units of one kind and campaign run in a group on their first attempt', () => {
  const { handlers } = handlerThatFails();
  const other = 'cmp_2' as CampaignId;
  const waiting = [unit(1), unit(2, { campaignId: other }), unit(3), unit(4, { attempt: 2 }), unit(5)];
  expect(idsOf(groupOf(handlers, waiting))).toEqual([1, 3, 5]);
  expect(idsOf(groupOf(handlers, waiting.slice(1)))).toEqual([2]);
  expect(idsOf(groupOf(handlers, waiting.slice(3)))).toEqual([4]);
  expect(groupOf(handlers, [])).toEqual([]);
});

test('other kinds run one by one, and a group is bounded', () => {
  const { handlers } = handlerThatFails();
  const scanned = [1, 2].map((id) => unit(id, { kind: 'process_asset' }));
  expect(idsOf(groupOf(handlers, scanned))).toEqual([1]);
  const many = Array.from({ length: 200 }, (_, id) => unit(id));
  expect(groupOf(handlers, many)).toHaveLength(50);
});

test('a group that fails is run unit by unit, and only the bad one fails', async () => {
  const { asked, handlers } = handlerThatFails(2);
  const ended = await runUnits(
    { handlers, log, ownParts },
    [unit(1), unit(2), unit(3)],
    new AbortController().signal,
  );
  expect(asked).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(ended.map(({ unit: { unitId }, outcome }) => [unitId, outcome.kind])).toEqual([
    [1, 'completed'],
    [2, 'failed'],
    [3, 'completed'],
  ]);
});

test('a group that a shutdown ends is handed back', async () => {
  const stop = new AbortController();
  const handler: GroupHandler = {
    runGroup: async () => {
      stop.abort();
      throw new Error('ended');
    },
  };
  const units = [unit(1), unit(2)];
  const ended = await runUnits({ handlers: { rescore_asset: handler }, log, ownParts }, units, stop.signal);
  expect(ended.map(({ outcome }) => outcome.kind)).toEqual(['handed_back', 'handed_back']);
});
