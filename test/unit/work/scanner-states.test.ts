import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  may,
  OFFLINE_AFTER_MS,
  SCANNER_STATUSES,
  SCANNER_TRANSITIONS,
  type ScannerPulse,
  type ScannerStatus,
  type ScannerTrigger,
  STALE_AFTER_MS,
  scannerStatus,
} from '../../../core/work/scanner-states.ts';

describe('status', () => {
  test.each([
    [0, 'active', 'draining'],
    [30_000, 'active', 'draining'],
    [30_001, 'stale', 'draining'],
    [90_000, 'stale', 'draining'],
    [90_001, 'offline', 'offline'],
    [-5_000, 'active', 'draining'],
  ] as const)('after %i ms of silence is %s, drained %s', (silentMs, status, drained) => {
    const pulse = { heartbeatAt: 1_000_000, draining: false };
    expect(scannerStatus(pulse, 1_000_000 + silentMs)).toBe(status);
    expect(scannerStatus({ ...pulse, draining: true }, 1_000_000 + silentMs)).toBe(drained);
  });

  test('depends on the length of the silence alone, at and beside every threshold', () => {
    const near = fc
      .constantFrom(STALE_AFTER_MS, OFFLINE_AFTER_MS)
      .chain((limit) => fc.record({ limit: fc.constant(limit), beside: fc.integer({ min: -3, max: 3 }) }));
    fc.assert(
      fc.property(
        near,
        fc.integer({ min: 0, max: 2 ** 41 }),
        fc.boolean(),
        (point, heartbeatAt, draining) => {
          const status = scannerStatus({ heartbeatAt, draining }, heartbeatAt + point.limit + point.beside);
          const beyond = point.beside > 0;
          const silent =
            point.limit === OFFLINE_AFTER_MS ? (beyond ? 'offline' : 'stale') : beyond ? 'stale' : 'active';
          expect(status).toBe(draining && silent !== 'offline' ? 'draining' : silent);
        },
      ),
    );
  });
});

type Event = 'register' | 'heartbeat' | 'drain' | 'undrain';

/** What a scanner is after an event, as its row and the clock have it; null before it registered. */
function after(pulse: ScannerPulse | null, event: Event, now: number): ScannerPulse | null {
  if (event === 'register') return { heartbeatAt: now, draining: false };
  if (pulse === null) return null;
  if (event === 'heartbeat') return { ...pulse, heartbeatAt: now };
  if (may(event, scannerStatus(pulse, now))) return { ...pulse, draining: event === 'drain' };
  return pulse;
}

describe('the table', () => {
  test('has exactly the changes of status that happen, whatever happens', () => {
    const seen = new Set<string>();
    const events = fc.array(
      fc.oneof(
        fc.constantFrom<Event>('register', 'heartbeat', 'drain', 'undrain'),
        fc.integer({ min: 1, max: 100 }).map((seconds) => ({ seconds })),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(events, (list) => {
        let now = 1_000_000;
        let pulse: ScannerPulse | null = null;
        const statusNow = (): ScannerStatus | null => pulse && scannerStatus(pulse, now);
        const note = (from: ScannerStatus | null, trigger: ScannerTrigger) => {
          const to = statusNow();
          if (to !== null && to !== from) seen.add(JSON.stringify({ from, trigger, to }));
        };
        for (const event of list) {
          if (typeof event === 'object') {
            for (let second = 0; second < event.seconds; second++) {
              const from = statusNow();
              now += 1_000;
              note(from, statusNow() === 'offline' ? 'silent_over_90s' : 'silent_over_30s');
            }
            continue;
          }
          const from = statusNow();
          const drained = pulse?.draining === true;
          pulse = after(pulse, event, now);
          note(from, event === 'heartbeat' && drained ? 'heartbeat_while_drained' : event);
        }
      }),
      // All of them, in tests of a change too: with a third, a rare transition is now and then not seen.
      { numRuns: 5_000 },
    );
    expect([...seen].sort()).toEqual(SCANNER_TRANSITIONS.map((row) => JSON.stringify(row)).sort());
  });

  test('only undraining or registering makes a drained scanner active again', () => {
    expect(SCANNER_STATUSES.filter((status) => may('drain', status))).toEqual(['active', 'stale']);
    expect(SCANNER_STATUSES.filter((status) => may('undrain', status))).toEqual(['draining']);
    const fromDraining = SCANNER_TRANSITIONS.filter(({ from }) => from === 'draining');
    expect(fromDraining.filter(({ to }) => to === 'active').map(({ trigger }) => trigger)).toEqual([
      'register',
      'undrain',
    ]);
  });
});
