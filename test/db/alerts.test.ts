import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { CounterName } from '../../core/observability/metrics.ts';
import { firingAtEnd, RULES } from '../support/alert-rules.ts';
import type { Scrape } from '../support/promql.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { type Deployment, deploy, enqueue, MINUTE, scopeOf } from '../support/scraped-deployment.ts';

const START = Date.UTC(2026, 0, 1);
const NOBODY = 'postgres://nobody@127.0.0.1:1/none';

/** An hour of a deployment that does its work. */
let healthy: readonly Scrape[];
beforeAll(async () => {
  const deployment = await deploy(START);
  await enqueue(deployment, 5);
  await deployment.run(61, async (minute) => {
    await deployment.live();
    if (minute === 20) await deployment.runtime.worker.drain(MINUTE, AbortSignal.timeout(MINUTE));
    deployment.count('extraction:docx:available', 2);
    if (minute === 40) deployment.count('extraction:docx:failed');
  });
  await deployment.stop();
  await deployment.database.drop();
  healthy = deployment.scrapes;
});

type Case = [firing: string | null, what: string, act: (on: Deployment, minute: number) => unknown];

/** Each runs for 32 minutes after the healthy one, in a process that has just been deployed. */
const CASES: readonly Case[] = [
  [null, 'one restart, and nothing else', (on) => on.live()],
  [
    'GovernanceMetricsMissing',
    'the process is gone',
    (on, minute) => (minute === 20 ? on.stop() : minute < 20 && on.live()),
  ],
  [
    'GovernanceDatabaseDown',
    'the database is gone',
    async (on, minute) => {
      if (minute === 20) await on.start({ SVC_DATABASE_URL: NOBODY });
      if (minute < 20) await on.live();
    },
  ],
  [
    'GovernanceProcessRestarts',
    'the process ends every five minutes',
    async (on, minute) => {
      if (minute % 5 === 0) await on.start();
      await on.live();
    },
  ],
  [
    'GovernanceNoScanner',
    'the only process drains',
    async (on) => {
      await on.live();
      await on.database.inspect(sql`update scanners set draining = true`);
    },
  ],
  [
    'GovernanceScannerLost',
    'a second process is killed',
    async (on, minute) => {
      await on.live();
      if (minute === 10) await on.register('another');
    },
  ],
  [
    'GovernanceWorkStandsStill',
    'units are due, and nobody takes them',
    async (on, minute) => {
      await on.live();
      if (minute === 5) await enqueue(on, 5);
    },
  ],
  [
    null,
    'the oldest unit waits long while others are completed',
    async (on, minute) => {
      await on.live();
      on.count('work_completed:process_asset', 3);
      if (minute === 5) await enqueue(on, 5);
    },
  ],
  [
    'GovernanceDeadLettersRise',
    'units die',
    async (on, minute) => {
      await on.live();
      if (minute !== 20) return;
      await enqueue(on, 3);
      await on.kill();
    },
  ],
  [
    'GovernanceAttemptsFail',
    'every second attempt fails',
    async (on) => {
      await on.live();
      on.count('work_completed:process_asset', 10);
      on.count('work_failed:transient', 10);
    },
  ],
  [
    null,
    'one attempt of fifty fails',
    async (on) => {
      await on.live();
      on.count('work_completed:process_asset', 98);
      on.count('work_failed:transient', 2);
    },
  ],
  [
    'GovernanceCredentialsRefused',
    'one attempt is refused',
    async (on, minute) => {
      await on.live();
      if (minute === 25) on.count('work_failed:auth');
    },
  ],
  [
    'GovernanceOwnPartsFail',
    'the database refuses to write',
    async (on, minute) => {
      await on.live();
      if (minute >= 25) on.count('own_part_failed:database_refuses', 5);
    },
  ],
  [
    null,
    'the database was restarted once',
    async (on, minute) => {
      await on.live();
      if (minute === 10) on.count('own_part_failed:database_away');
    },
  ],
  [
    'GovernanceSourceThrottles',
    'the source asks to wait',
    async (on) => {
      await on.live();
      on.count('graph_throttled:429', 10);
      on.count('graph_throttled:503', 5);
    },
  ],
  [
    null,
    'the source asks to wait now and then',
    async (on) => {
      await on.live();
      on.count('graph_throttled:429', 3);
    },
  ],
  [
    'GovernanceExtractionFails',
    'half of the files of a format cannot be read',
    async (on) => {
      await on.live();
      on.count('extraction:pdf:failed', 2);
      on.count('extraction:pdf:available', 2);
    },
  ],
  [
    null,
    'a few files of a rare format cannot be read',
    async (on, minute) => {
      await on.live();
      if (minute < 10) on.count('extraction:msg:failed');
      on.count('extraction:docx:available', 5);
    },
  ],
  [
    'GovernanceDeltaCursorOld',
    'no delta for two days',
    async (on, minute) => {
      await on.live();
      if (minute > 0) return;
      await scopeOf(on);
      await on.database.inspect(sql`
      update scopes set delta_cursor_status = 'valid', delta_cursor_at = ${new Date(on.now - 48 * 60 * MINUTE)}`);
    },
  ],
  [
    'GovernanceNotificationsLate',
    'changes are processed twenty minutes late',
    async (on, minute) => {
      await on.live();
      if (minute % 5 === 0) on.runtime.metrics.observe('notification_reconcile_lag_ms', 20 * MINUTE);
    },
  ],
  [
    null,
    'one change was late, and none was announced since',
    async (on, minute) => {
      await on.live();
      if (minute === 0) on.runtime.metrics.observe('notification_reconcile_lag_ms', 20 * MINUTE);
    },
  ],
  [
    'GovernanceSubscriptionsFail',
    'a renewal fails',
    async (on, minute) => {
      await on.live();
      if (minute === 10) on.count('change_subscription_renew_failed');
    },
  ],
  [
    'GovernanceAuditChainChanged',
    'a chain is not as it was signed',
    async (on, minute) => {
      await on.live();
      on.count('audit_checkpoint:signed');
      if (minute === 29) on.count('audit_checkpoint:chain_not_as_signed');
    },
  ],
  [
    'GovernanceAuditUnsigned',
    'the key is none',
    async (on, minute) => {
      await on.live();
      if (minute % 15 === 10) on.count('audit_checkpoint:key_unusable');
    },
  ],
  [
    'GovernanceAnswersFail',
    'one answer of six is an internal error',
    async (on) => {
      await on.live();
      on.count('http_answer:5xx', 4);
    },
  ],
  [
    'GovernanceOverloaded',
    'one answer of five is a 503',
    async (on) => {
      await on.live();
      on.count('http_answer:503', 5);
    },
  ],
  [
    null,
    'a few internal errors and 503',
    async (on, minute) => {
      await on.live();
      if (minute % 10 === 0) on.count('http_answer:5xx', 2);
      if (minute % 10 === 5) on.count('http_answer:503', 2);
    },
  ],
  [
    'GovernanceTracesLost',
    'the collector refuses',
    async (on) => {
      await on.live();
      on.count('trace_export_failed');
    },
  ],
  [
    'GovernanceSamplesDropped',
    'a name that is not declared',
    async (on, minute) => {
      await on.live();
      if (minute === 20) on.count('no_such_family' as CounterName);
    },
  ],
];

describe('the alerts', () => {
  test('none fires in an hour of a healthy deployment', () => {
    expect(firingAtEnd(RULES, healthy)).toEqual([]);
  });

  test.each(NIGHTLY ? CASES : CASES.slice(0, 3))('%s: %s', async (firing, _, act) => {
    const deployment = await deploy((healthy.at(-1)?.at ?? 0) * 1000 + MINUTE);
    onTestFinished(async () => {
      await deployment.stop();
      await deployment.database.drop();
    });
    await deployment.run(32, (minute) => act(deployment, minute));
    expect(firingAtEnd(RULES, [...healthy, ...deployment.scrapes])).toEqual(firing === null ? [] : [firing]);
  });

  test('each has a case in which it fires, and a runbook', () => {
    expect(CASES.flatMap(([firing]) => firing ?? []).sort()).toEqual(RULES.map(({ alert }) => alert).sort());
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(
      ([, heading = '']) =>
        `docs/operations.md#${heading.toLowerCase().replaceAll('`', '').replaceAll(' ', '-')}`,
    );
    expect(
      RULES.map(({ annotations }) => annotations.runbook).filter((each) => !anchors.includes(each)),
    ).toEqual([]);
  });
});
