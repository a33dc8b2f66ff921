import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { withClient } from '../../core/db/client.ts';
import { migrationsFolder } from '../../core/db/migrate.ts';
import { dropDatabase } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { foldPlacements } from '../../core/landscape/fold.sql.ts';
import { newAuditKey } from '../support/audit-trail.ts';
import { changeEverything } from '../support/change-everything.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import {
  addSecondDomain,
  finishScans,
  makeFirstWorld,
  savePlans,
  signInEverybody,
} from '../support/leak-worlds.ts';
import { buildCode } from '../support/release/app.ts';
import { inBusy, seedBusyTenant } from '../support/release/busy-tenant.ts';
import { readRows, restoreDatabase } from '../support/release/filled-database.ts';
import { presentVersion, RELEASES, writeRelease } from '../support/release/recorded.ts';
import { dumpSchema } from '../support/schema-dump.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

/** Tables that stay empty, with the reason. */
const EMPTY: Readonly<Record<string, string>> = {
  ai_reservations: 'A row is deleted when the call is settled',
  ai_usage: 'Of a live provider',
  audit_set_aside: 'Of a trail that did not hold',
  call_budgets: 'Of a live source',
  campaign_ends: 'A row is deleted as soon as the end is audited',
  delta_listings: 'A row is deleted at the end of its delta',
  licenses: 'Needs an entitlement, which the vendor signs',
  representative_walks: 'Written by a timer',
  retention_counts: 'A row is deleted when the sweep audits it',
  schedule_runs: 'Written by a timer',
  source_folders: 'Neither the fixture nor a share reports its folders',
  source_usage: 'Written only while a scan reads under a ceiling',
  telemetry_sent: 'Needs an entitlement that asks for it',
  trend_days: 'Written by a timer',
  vector_generations: 'Needs 5,000 vectors',
};
/** What decides on the code and the schema of a release. */
const SOURCES = ['core', 'functions', 'main.ts', 'migrations', 'host.json', 'package-lock.json', 'VERSION'];

const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', cwd: path.dirname(RELEASES) }).trim();

let database: TestDatabase;
let service: TestService;
let share: string | undefined;
afterAll(async () => {
  await service?.close();
  await database?.drop();
  if (share !== undefined) await rm(share, { recursive: true });
});

const SHARE = 'letters';

/** Mail with an attachment, which the fixture does not have. */
const MAIL = `From: a@example.com
To: b@example.com
Subject: Invoice
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain

Please pay the attached invoice.
--part
Content-Type: text/plain; name=invoice.txt
Content-Disposition: attachment; filename=invoice.txt

Invoice 4711. Please transfer the amount to IBAN DE89370400440532013000.
--part--
`;

async function writeShare(): Promise<string> {
  share = await mkdtemp(path.join(tmpdir(), 'release-share-'));
  await mkdir(path.join(share, SHARE));
  await writeFile(path.join(share, SHARE, 'mail.eml'), MAIL);
  await writeFile(path.join(share, SHARE, 'mail.bak'), MAIL);
  return share;
}

/** Connects sources and takes their inventory. */
async function scan(principalId: string, family: string): Promise<void> {
  const admin = await service.signInAs(principalId);
  expect((await admin.post('/api/sources/connect', { family })).status).toBe(200);
  const { body } = await admin.get<{ items: { scopeId: string; family: string }[] }>('/api/sources');
  for (const { scopeId } of body.items.filter((source) => source.family === family))
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await finishScans(service, database);
}

async function syncMessages(): Promise<void> {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  for (const family of ['chat', 'mail'])
    expect((await admin.post(`/api/${family}/sync`)).body).toMatchObject({ complete: true });
}

/** Scans of shares leave out backups. */
async function leaveOutBackups(): Promise<void> {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  const body = { rules: [{ pattern: '*.bak', family: 'smb' }] };
  expect((await admin.request('PUT', '/api/admin/scan-rules', { body })).status).toBe(200);
}

/** The owner of finance says that the account numbers of the finance site are none. */
async function suppressNumbers(): Promise<void> {
  const owner = await service.signInAs(PERSONA.financeOwner);
  const [site] = await database.inspect<{ scopeId: string }>(
    sql`select scope_id as "scopeId" from scopes where tenant_id = ${DEV} and external_id = 'site-finance'`,
  );
  const { status } = await owner.post('/api/governance/suppressions', {
    kind: 'detector_in_scope',
    detectorId: 'iban',
    domainId: 'dom_finance',
    scopeId: site?.scopeId,
    reason: 'Numbers of examples',
    expiresAt: new Date(Date.now() + 30 * 24 * 3_600_000).toISOString(),
  });
  // By chance somebody has already said so while everything was changed.
  expect([200, 409]).toContain(status);
}

/** What timers and the fleet leave in tables that nobody else writes. */
async function runTimers(): Promise<void> {
  const { fleet, db, clock, stopping: signal } = service.runtime();
  await fleet.join();
  await foldPlacements(db, signal);
  await signCheckpoints(db, { signer: newAuditKey().signer, clock, signal });
}

test('npm run release:record: the database and the code of this release', async () => {
  const version = await presentVersion();
  const changed = git('status', '--porcelain', '--', ...SOURCES.map((source) => `:/${source}`));
  expect(changed, 'Commit the release first').toBe('');

  database = await createSeededDatabase();
  await seedBusyTenant(database.owner);
  service = await startService(database, {
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: await writeShare(),
    SVC_SMB_SHARES: SHARE,
    SVC_CHAT_ENABLED: 'true',
    SVC_MAIL_ENABLED: 'true',
  });
  const personas = await signInEverybody(service, database);
  await makeFirstWorld(service, database, personas);
  const changes = await changeEverything(service, database, personas, (reach) => reach !== 'none');
  expect(changes.filter(({ status }) => status >= 500)).toEqual([]);
  await addSecondDomain(service, database, personas);
  await savePlans(database);
  await suppressNumbers();
  await leaveOutBackups();
  await scan(PERSONA.platformAdmin, 'smb');
  await syncMessages();
  await runTimers();
  await scan(inBusy(PERSONA.platformAdmin), 'm365');
  // Nothing of the machine that records.
  await database.inspect(sql`update scanners set host = 'recorded', display_name = 'recorded'`);

  const filled = await readRows(database.adminUrl);
  const rows = Object.fromEntries(filled.tables.map((each) => [each.table, each.rows.length]));
  expect(Object.keys(rows).filter((table) => rows[table] === 0)).toEqual(Object.keys(EMPTY));
  const cluster = inject('cluster');
  const copy = `restored_${process.pid}`;
  const restored = await restoreDatabase(cluster, copy, filled, [migrationsFolder()]);
  expect(await readRows(restored)).toEqual(filled);
  const schema = await withClient(restored, dumpSchema);
  await dropDatabase(cluster.adminUrl, copy);

  await writeRelease(path.join(RELEASES, version), {
    note: { version, commit: git('rev-parse', 'HEAD'), recordedAt: new Date().toISOString(), rows },
    schema,
    database: filled,
    code: await buildCode(),
  });
});
