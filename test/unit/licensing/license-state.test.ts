import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  graceEndsAt,
  LICENSE_STATES,
  LICENSE_TRANSITIONS,
  licenseState,
  scanRefusal,
  type Usage,
} from '../../../core/licensing/license-state.ts';
import { isRenewalDue, renewFrom, retryDelay } from '../../../core/licensing/renewal-schedule.ts';
import type { Terms } from '../../../core/licensing/terms.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-11-24T00:00:00Z');
const NOTHING: Usage = { billableUsers: 0, assets: 0, scopes: 0 };

const bound = fc.option(fc.nat(100));
const anyTerms: fc.Arbitrary<Terms> = fc.record({
  entitlementVersion: fc.constant(2 as const),
  entitlementId: fc.constant('ent_1'),
  tenantId: fc.constant('dev'),
  edition: fc.constant('standard'),
  issuedAt: fc.constant(NOW),
  endsAt: fc.integer({ min: NOW + 1, max: NOW + 800 * DAY }),
  graceDays: fc.nat(90),
  features: fc.constantFrom<string[]>([], ['scanning'], ['other', 'scanning']),
  maxBillableUsers: bound,
  maxAssets: bound,
  maxScopes: bound,
  telemetry: fc.boolean(),
  challenge: fc.constant(null),
});
const anyUsage: fc.Arbitrary<Usage> = fc.record({
  billableUsers: fc.nat(200),
  assets: fc.nat(200),
  scopes: fc.nat(200),
});
const anyTime = fc.integer({ min: NOW, max: NOW + 1_000 * DAY });

test('time moves a license only along the table', () => {
  fc.assert(
    fc.property(anyTerms, fc.array(anyTime), (terms, times) => {
      const states = times.sort((a, b) => a - b).map((time) => licenseState(terms, time));
      for (const [at, to] of states.entries()) {
        const from = states[at - 1] ?? 'active';
        if (from !== to)
          expect(
            LICENSE_TRANSITIONS.some((row) => row.from === from && row.to === to),
            `${from} to ${to}`,
          ).toBe(true);
      }
    }),
  );
});

test('it is active before its end, then in its grace window, then expired', () => {
  fc.assert(
    fc.property(anyTerms, (terms) => {
      expect(licenseState(terms, terms.endsAt - 1)).toBe('active');
      expect(licenseState(terms, terms.endsAt)).toBe(terms.graceDays > 0 ? 'grace' : 'expired');
      expect(licenseState(terms, graceEndsAt(terms))).toBe('expired');
      expect(licenseState(terms, graceEndsAt(terms) - 1)).not.toBe('expired');
    }),
  );
});

test('scans start in states that allow them, with scanning, within all bounds, only', () => {
  fc.assert(
    fc.property(anyTerms, anyTime, anyUsage, (terms, time, usage) => {
      const isWithin = (count: number, most: number | null) => most === null || count <= most;
      const expected =
        ['active', 'grace'].includes(licenseState(terms, time)) &&
        terms.features.includes('scanning') &&
        isWithin(usage.billableUsers, terms.maxBillableUsers) &&
        isWithin(usage.assets, terms.maxAssets) &&
        isWithin(usage.scopes, terms.maxScopes);
      expect(scanRefusal(terms, time, usage) === null).toBe(expected);
    }),
  );
});

test('less use and an earlier time never take a scan away', () => {
  const less = (usage: Usage): Usage => ({
    billableUsers: Math.floor(usage.billableUsers / 2),
    assets: Math.floor(usage.assets / 2),
    scopes: Math.floor(usage.scopes / 2),
  });
  fc.assert(
    fc.property(anyTerms, anyTime, anyUsage, (terms, time, usage) => {
      if (scanRefusal(terms, time, usage) !== null) return;
      expect(scanRefusal(terms, Math.max(NOW, time - 10 * DAY), less(usage))).toBeNull();
    }),
  );
});

test('without an entitlement scans start; without a usable one they do not', () => {
  expect(scanRefusal('none', NOW, { billableUsers: 1e9, assets: 1e9, scopes: 1e9 })).toBeNull();
  expect(scanRefusal('unusable', NOW, NOTHING)).toBe('license_unusable');
  expect(scanRefusal('deactivated', NOW, NOTHING)).toBe('license_deactivated');
  expect(LICENSE_STATES).toContain(licenseState('none', NOW));
});

test('a renewal is due in time before the end, and again after longer and longer waits', () => {
  fc.assert(
    fc.property(anyTerms, anyTime, fc.nat(50), fc.nat(40 * DAY), (terms, time, failures, ago) => {
      expect(renewFrom(terms)).toBeGreaterThan(terms.issuedAt);
      expect(renewFrom(terms)).toBeLessThan(terms.endsAt);
      expect(isRenewalDue(terms, time, null)).toBe(time >= renewFrom(terms));
      const due = isRenewalDue(terms, time, { at: time - ago, failures });
      expect(due).toBe(time >= renewFrom(terms) && ago >= retryDelay(failures));
      expect(retryDelay(failures)).toBeLessThanOrEqual(DAY);
      expect(retryDelay(failures + 1)).toBeGreaterThanOrEqual(retryDelay(failures));
    }),
  );
});
