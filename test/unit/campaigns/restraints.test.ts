import { expect, test } from 'vitest';
import { ceilingUntil, quietTimes, reached } from '../../../core/campaigns/restraints.ts';
import { targetOf } from '../../../core/campaigns/schedule-targets.sql.ts';
import type { ScheduleRow } from '../../../core/campaigns/schedules.sql.ts';
import { cpuMs } from '../../support/cpu-time.ts';

const HOUR = Date.parse('2026-11-27T12:00Z');
const NEXT_HOUR = Date.parse('2026-11-27T13:00Z');

const schedule = (parts: Partial<ScheduleRow>): ScheduleRow => {
  const of = { family: parts.family ?? null, scopeId: parts.scopeId ?? null };
  return {
    timeZone: 'UTC',
    quietHours: null,
    callsPerHour: null,
    megabytesPerHour: null,
    whenRunning: 'skip',
    whenLate: 'run',
    revision: 1,
    ...parts,
    ...of,
    target: targetOf(of),
  };
};
const scopes = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ family: 'smb', scopeId: `scp_${n}` }));

test('a ceiling of a family bounds its scopes together, and no other family', () => {
  const full = reached(
    [schedule({ family: 'smb', callsPerHour: 4 }), schedule({ family: 's3', callsPerHour: 5 })],
    [
      { family: 'smb', scopeId: 'scp_1', calls: 2, bytes: 0 },
      { family: 'smb', scopeId: 'scp_2', calls: 2, bytes: 0 },
      { family: 's3', scopeId: 'scp_3', calls: 4, bytes: 0 },
    ],
  );
  expect(ceilingUntil(full, { family: 'smb', scopeId: 'scp_9' }, HOUR)).toBe(NEXT_HOUR);
  expect(ceilingUntil(full, { family: 's3', scopeId: 'scp_3' }, HOUR)).toBeNull();
});

test('10,000 scopes with schedules of their own are restrained in under a second', () => {
  const all = scopes(10_000);
  const quietHours = [{ days: ['friday' as const], from: '13:00', to: '14:00' }];
  const schedules = [
    ...all.map(({ scopeId }) => schedule({ scopeId, callsPerHour: 10, quietHours: [] })),
    schedule({ quietHours, megabytesPerHour: 1 }),
  ];
  const began = cpuMs();
  const full = reached(
    schedules,
    all.map((scope, n) => ({ ...scope, calls: n % 2 === 0 ? 10 : 9, bytes: 0 })),
  );
  const quietOf = quietTimes(schedules, HOUR);
  expect(all.filter((scope) => quietOf(scope) !== null)).toHaveLength(0);
  expect(all.filter((scope) => ceilingUntil(full, scope, HOUR) !== null)).toHaveLength(5_000);
  expect(cpuMs() - began).toBeLessThan(1_000);
  expect(quietOf({ family: 's3', scopeId: 'scp_other' })?.from).toBe(NEXT_HOUR);
});
