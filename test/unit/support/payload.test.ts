import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LICENSE_STATES } from '../../../core/licensing/license-state.ts';
import { termsIn } from '../../../core/licensing/terms.ts';
import { AGES, bandOf, COUNTS, REMAINING, SHARES } from '../../../core/support/bands.ts';
import {
  type TelemetryFacts,
  type TelemetryPayload,
  TelemetryPayloadSchema,
  telemetryPayload,
  telemetryText,
} from '../../../core/support/payload.ts';
import { terms } from '../../support/entitlements.ts';

const NOW = Date.parse('2026-11-24T00:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const termsOf = (changes: Parameters<typeof terms>[1] = {}) => {
  const made = termsIn(terms(NOW, changes));
  if (made === null) throw new Error('These are no terms');
  return made;
};
const FACTS: TelemetryFacts = {
  deployment: '3f8c2a4e-5b6d-4c7e-8f90-a1b2c3d4e5f6',
  license: {
    ...{ state: 'active', clock: 'steady', effectiveTime: NOW },
    usage: { billableUsers: 4, assets: 90, scopes: 3 },
    terms: termsOf({ maxBillableUsers: 10, maxAssets: 100 }),
  },
  ...{ scanners: 2, scannersLost: 0, pendingUnits: 12_345, oldestPendingSince: NOW - 2 * DAY },
  ...{ deadUnits: 0, staleScopes: 1, lastCompletedAt: null },
};

describe('bands', () => {
  test.each([
    [COUNTS, 0, '0'],
    [COUNTS, 1, '1_to_9'],
    [COUNTS, 99, '10_to_99'],
    [COUNTS, 1_000, '1000_or_more'],
    [AGES, -5 * HOUR, 'under_1_hour'],
    [AGES, HOUR, 'under_1_day'],
    [AGES, 40 * DAY, '30_days_or_more'],
    [REMAINING, 0, 'over'],
    [REMAINING, 1, 'under_7_days'],
    [REMAINING, 90 * DAY, '90_days_or_more'],
    [SHARES, 0 / 0, 'under_50_percent'],
    [SHARES, 1 / 0, 'over_100_percent'],
    [SHARES, 1, 'up_to_100_percent'],
    [SHARES, (1e12 + 1) / 1e12, 'over_100_percent'],
  ])('%#: %s', (bands, value, band) => {
    expect(bandOf(bands, value)).toBe(band);
  });

  test('a greater value is never in a lower band', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        const order = COUNTS.map(([, band]) => band);
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(order.indexOf(bandOf(COUNTS, low))).toBeLessThanOrEqual(order.indexOf(bandOf(COUNTS, high)));
      }),
    );
  });
});

describe('the payload', () => {
  test('has bands instead of numbers', () => {
    expect(telemetryPayload(FACTS, NOW)).toMatchObject({
      deployment: FACTS.deployment,
      edition: 'standard',
      licensing: {
        ...{ state: 'active', clock: 'steady', remaining: '90_days_or_more' },
        ...{ billableUsers: 'under_50_percent', assets: 'up_to_100_percent', scopes: 'unbounded' },
      },
      health: {
        ...{ scanners: '1_to_9', scannersLost: '0', pendingUnits: '1000_or_more' },
        ...{ oldestPendingUnit: 'under_7_days', staleScopes: '1_to_9', lastCompletedScan: 'none' },
      },
    });
  });

  test('without an entitlement it has no edition and no terms', () => {
    const license = { ...FACTS.license, state: 'none' as const, terms: null };
    expect(telemetryPayload({ ...FACTS, license }, NOW)).toMatchObject({
      edition: null,
      licensing: { state: 'none', remaining: null, billableUsers: null, assets: null, scopes: null },
    });
  });

  test('of any facts it is what the schema allows, and holds none of their numbers', () => {
    const time = fc.option(fc.integer({ min: 0, max: NOW + 900 * DAY }));
    const count = fc.integer({ min: 100_000, max: 1e12 });
    const anyFacts = fc.record({
      deployment: fc.uuid(),
      license: fc.record({
        state: fc.constantFrom(...LICENSE_STATES),
        clock: fc.constantFrom('steady' as const, 'behind' as const, 'ahead' as const),
        effectiveTime: fc.integer({ min: 0, max: NOW + 900 * DAY }),
        usage: fc.record({ billableUsers: count, assets: count, scopes: count }),
        terms: fc.option(fc.constant(FACTS.license.terms), { nil: null }),
      }),
      ...{ scanners: count, scannersLost: count, pendingUnits: count, oldestPendingSince: time },
      ...{ deadUnits: count, staleScopes: count, lastCompletedAt: time },
    });
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { deployment, ...rest } = telemetryPayload(facts, NOW);
        expect(TelemetryPayloadSchema.parse({ deployment, ...rest })).toEqual({ deployment, ...rest });
        const numbers =
          JSON.stringify(facts)
            .replace(facts.deployment, '')
            .match(/\d{6,}/g) ?? [];
        for (const number of numbers) expect(JSON.stringify(rest)).not.toContain(number);
      }),
    );
  });

  test('nothing else can enter', () => {
    const payload = telemetryPayload(FACTS, NOW);
    const entering = (changes: object) => () => telemetryText({ ...payload, ...changes } as TelemetryPayload);
    expect(telemetryText(payload)).toBe(JSON.stringify(payload));
    expect(entering({ tenantId: 'contoso' })).toThrow();
    expect(entering({ edition: 'Contoso Ltd' })).toThrow();
    expect(entering({ deployment: 'contoso' })).toThrow();
    expect(entering({ health: { ...payload.health, pendingUnits: 12_345 } })).toThrow();
    expect(entering({ health: { ...payload.health, host: 'contoso-1' } })).toThrow();
    expect(entering({ licensing: { ...payload.licensing, assets: 'Contoso' } })).toThrow();
  });
});
