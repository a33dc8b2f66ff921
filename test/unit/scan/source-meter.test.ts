import { expect, test } from 'vitest';
import { createPool } from '../../../core/db/pool.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import { createLogger } from '../../../core/observability/log.ts';
import { SourceMeter } from '../../../core/scan/source-meter.ts';
import { createChangingSource } from '../../support/changing-source.ts';

test('counts that cannot be stored are logged once, and not each time', async () => {
  const lines: string[] = [];
  const log = createLogger({
    level: 'warn',
    clock: Date.now,
    destination: { write: (line) => lines.push(line) },
  });
  // Nothing listens there.
  const db = createPool('postgres://nobody:none@127.0.0.1:1/nothing', { max: 1, applicationName: 'meter' });
  const meter = new SourceMeter({ db, clock: Date.now, log });
  const connector = meter.metered(() => createChangingSource().connector('comparison'))(
    't' as TenantId,
    'm365',
  );
  for (let times = 0; times < 3; times++) {
    await connector.listItems('site', null, new AbortController().signal);
    await meter.store();
  }
  await db.close();
  expect(lines.filter((line) => line.includes('source_usage_failed'))).toHaveLength(1);
});
