import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appendAudit } from '../../core/audit/append.sql.ts';
import { auditText } from '../../core/audit/event.ts';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { compose, type Runtime, useRuntime } from '../../core/runtime.ts';
import { type FunctionsHost, startFunctionsHost } from '../../infra/local/functions-host.ts';
import { newAuditKey } from '../support/audit-trail.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const { privateKey, signer } = newAuditKey();
const root = path.resolve(import.meta.dirname, '../..');

let database: TestDatabase;
let host: FunctionsHost;
let runtime: Runtime | undefined;
const logs: string[] = [];

beforeAll(async () => {
  database = await createSeededDatabase();
  vi.stubEnv('SVC_AUDIT_CHECKPOINT_SCHEDULE', '* * * * * *');
});
afterAll(async () => {
  await host?.close();
  await runtime?.close();
  vi.unstubAllEnvs();
  await database.drop();
});

async function serveWith(settings: Record<string, string>): Promise<void> {
  const former = runtime;
  runtime = await compose(
    loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url, ...settings }),
    systemClock,
    { write: (line) => logs.push(line) },
  );
  useRuntime(runtime);
  await former?.close();
}

const signed = () =>
  database.inspect<{ seq: string; keyId: string }>(
    sql`select seq::int as seq, key_id as "keyId" from audit_checkpoints where tenant_id = ${DEV} order by number`,
  );

const append = () =>
  withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
    appendAudit(tx, [
      auditText(
        { tenantId: DEV, principalId: null, correlationId: 'cor-1', now: Date.now() },
        { category: 'scan', type: 'thing_done' },
      ),
    ]),
  );

test('the timer signs once there is a key, and says that a key is none', async () => {
  await append();
  await serveWith({ SVC_AUDIT_SIGNING_KEY_REF: 'KEY', KEY: 'no key at all' });
  host = await startFunctionsHost({ root, main: 'functions/timers/checkpoint-audit.ts' });
  await expect.poll(() => logs.join('')).toContain('audit_signing_key_unusable');
  expect(logs.join('')).not.toContain('no key at all');
  expect(runtime?.metrics.snapshot().counters['audit_checkpoint:key_unusable']).toBeGreaterThan(0);
  expect(await signed()).toEqual([]);

  await serveWith({ SVC_AUDIT_SIGNING_KEY_REF: 'KEY', KEY: privateKey });
  await expect.poll(signed).toEqual([{ seq: 1, keyId: signer.keyId }]);
  await append();
  await expect.poll(async () => (await signed()).map(({ seq }) => seq)).toEqual([1, 2]);
  await expect.poll(() => runtime?.metrics.snapshot().counters['audit_checkpoint:signed']).toBe(2);
});
