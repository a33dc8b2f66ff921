import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignId, TenantId } from '../../../core/kernel/ids.ts';
import { newId } from '../../../core/kernel/ids.ts';
import { createLogger } from '../../../core/observability/log.ts';
import type { LogFields } from '../../../core/observability/log-fields.ts';
import type { LogLevel } from '../../../core/observability/log-ring.ts';

const acme = 'ten_acme' as TenantId;
const globex = 'ten_globex' as TenantId;

function capture(level: LogLevel = 'debug', clock = () => Date.UTC(2026, 0, 2, 3, 4, 5)) {
  const lines: string[] = [];
  const log = createLogger({ level, clock, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, parsed: (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line)) };
}

/** What a caller that evades the compiler passes. */
const untyped = (fields: Record<string, unknown>) => fields as LogFields;

describe('log lines', () => {
  it('are JSON, one to a line, with level, time, service and event', () => {
    const { log, lines, parsed } = capture();
    log.info('http_request', { method: 'GET', route: '/api/health', status: 200, durationMs: 1.5 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(parsed()[0]).toEqual({
      level: 'info',
      service: 'data-governance-service',
      process: expect.stringMatching(/^prc_[0-9a-z]{26}$/),
      time: '2026-01-02T03:04:05.000Z',
      event: 'http_request',
      method: 'GET',
      route: '/api/health',
      status: 200,
      durationMs: 1.5,
    });
  });

  it('are written from the configured level up', () => {
    const { log, parsed } = capture('warn');
    log.debug('http_request');
    log.info('http_request');
    log.warn('setting_missing', { setting: 'SVC_AI_KEY_REF' });
    log.error('internal_error');
    expect(parsed().map((line) => [line.level, line.event])).toEqual([
      ['warn', 'setting_missing'],
      ['error', 'internal_error'],
    ]);
    // Operations is shown what is not written as well.
    expect(log.recentLogs(acme).map(({ level }) => level)).toEqual(['error', 'warn', 'info']);
  });

  it('of level debug are written if configured, and displace no others', () => {
    const { log, parsed } = capture('debug');
    log.debug('unit_settled', { unitId: 1, stage: 'inference', outcome: 'dead' });
    log.info('http_request');
    expect(parsed().map((line) => [line.level, line.event, line.outcome])).toEqual([
      ['debug', 'unit_settled', 'dead'],
      ['info', 'http_request', undefined],
    ]);
    expect(log.recentLogs(acme).map(({ level }) => level)).toEqual(['info']);
  });
});

describe('log fields', () => {
  it('that are not allowlisted neither compile nor appear', () => {
    const { log, lines } = capture();
    // @ts-expect-error no such event
    log.info('nonesuch_event');
    // @ts-expect-error no such field
    log.info('work_failed', { assetName: 'canary' });
    const wide = { count: 1, sourceUrl: 'canary' };
    // @ts-expect-error a wider object is no way round
    log.info('work_failed', wide);
    // @ts-expect-error not a stage
    log.info('work_failed', { stage: 'canary' });
    log.info(
      'work_failed',
      untyped({ path: 'canary', msg: 'canary', err: new Error('canary'), tokenHash: 'canary' }),
    );
    expect(lines).toHaveLength(5);
    expect(lines.join('')).not.toContain('canary');
  });

  it('that are undefined are left out', () => {
    const { log, parsed } = capture();
    log.info('http_request', { tenantId: undefined, count: 0 });
    expect(parsed()[0]).toMatchObject({ count: 0 });
    expect(parsed()[0]).not.toHaveProperty('tenantId');
  });

  it('keep opaque ids, words of the closed sets and settings', () => {
    const { log, parsed } = capture();
    const fields = {
      correlationId: newId('cor'),
      tenantId: acme,
      campaignId: newId('cmp') as CampaignId,
      scopeId: newId('scp'),
      unitId: 9007199254740991,
      kind: 'process_asset',
      stage: 'inference',
      outcome: 'rejected:client_state_mismatch',
      retryClass: 'throttled',
      attempt: 4,
      functionName: 'scans-start',
      setting: 'SVC_MAIL_MAILBOXES',
    } as const;
    log.info('delta_resync_required', fields);
    expect(parsed()[0]).toMatchObject(fields);
  });

  it.each([
    ['correlationId', 'a b'],
    ['correlationId', 'x'.repeat(65)],
    ['tenantId', 'Jane Doe'],
    ['campaignId', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['scopeId', 'Finance/Payroll.xlsx'],
    ['unitId', 'salaries'],
    ['kind', 'payroll'],
    ['stage', 'payroll'],
    ['outcome', 'payroll'],
    ['retryClass', { toString: () => 'transient' }],
    ['method', 'PAYROLL'],
    ['route', '/api/assets/ast_01h'],
    ['route', '/api/assets?q=payroll'],
    ['route', '/Finance/Payroll.xlsx'],
    ['route', `/api/${'a'.repeat(120)}`],
    ['status', '200'],
    ['durationMs', Number.NaN],
    ['count', -1],
    ['functionName', 'Jane Doe'],
    ['setting', 'SVC_NONESUCH'],
    ['setting', 'toString'],
  ])('redact what %s may not hold: %s', (name, value) => {
    const { log, parsed } = capture();
    log.info('http_request', untyped({ [name]: value }));
    expect(parsed()[0]).toHaveProperty(name, '[redacted]');
  });

  it('write route templates as the specification does', () => {
    const { log, parsed } = capture();
    log.info('http_request', { route: '/api/scans/{id}/{action}' });
    log.info('http_request', { route: '/api/docs/{*rest}' });
    log.info('http_request', { route: '/api/openapi.json' });
    expect(parsed().map((line) => line.route)).toEqual([
      '/api/scans/:id/:action',
      '/api/docs/:rest',
      '/api/openapi.json',
    ]);
  });

  it('never hold a text outside of the safe pattern, whatever is passed', () => {
    const names = [
      'correlationId',
      'tenantId',
      'campaignId',
      'unitId',
      'kind',
      'route',
      'functionName',
      'status',
      'x',
    ];
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.double(),
      fc.object(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, '__proto__'), value), (fields) => {
        const { log, parsed } = capture();
        log.info('http_request', untyped(fields));
        for (const [name, written] of Object.entries(parsed()[0] ?? {})) {
          expect(names.slice(0, -1).concat('level', 'time', 'service', 'process', 'event')).toContain(name);
          if (typeof written === 'number') continue;
          expect(written).toMatch(/^(?:[A-Za-z0-9_.:/-]{1,120}|\[redacted\])$/);
        }
      }),
    );
  });
});

describe('recent log lines', () => {
  it('are those of the tenant and of no tenant, newest first', () => {
    const { log } = capture();
    log.info('work_failed', { tenantId: acme, attempt: 1 });
    log.info('work_failed', { tenantId: globex, attempt: 2 });
    log.info('process_started', { attempt: 3 });
    log.info('work_failed', { tenantId: acme, attempt: 4 });
    expect(log.recentLogs(acme).map((entry) => entry.attempt)).toEqual([4, 3, 1]);
    expect(log.recentLogs(globex).map((entry) => entry.attempt)).toEqual([3, 2]);
  });

  it('of an unusable tenant id belong to nobody', () => {
    const { log } = capture();
    log.info('work_failed', { tenantId: 'Jane Doe' });
    expect(log.recentLogs(acme)).toEqual([]);
  });

  it('are 100 at most, out of the last 500 of the process', () => {
    const { log } = capture();
    for (let count = 0; count < 120; count++) log.info('work_failed', { tenantId: acme, count });
    expect(log.recentLogs(acme).map((entry) => entry.count)).toEqual(
      Array.from({ length: 100 }, (_, i) => 119 - i),
    );
    for (let count = 0; count < 450; count++) log.info('work_failed', { tenantId: globex, count });
    expect(log.recentLogs(acme).map((entry) => entry.count)).toEqual(
      Array.from({ length: 50 }, (_, i) => 119 - i),
    );
    expect(log.recentLogs(globex)[0]).toMatchObject({ level: 'info', event: 'work_failed', count: 449 });
  });
});
