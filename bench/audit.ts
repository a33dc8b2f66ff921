import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AuditGroup, appendAudit } from '../core/audit/append.sql.ts';
import { type AuditEntry, auditText } from '../core/audit/event.ts';
import { auditExportSource, auditNdjson } from '../core/audit/export.ts';
import { signCheckpoints } from '../core/audit/sign-checkpoints.ts';
import { auditSigner } from '../core/audit/signing-key.ts';
import { verifyChain } from '../core/audit/verify-chain.ts';
import { verifyExport } from '../core/audit/verify-export.ts';
import { createPool } from '../core/db/pool.ts';
import { sql } from '../core/db/sql.ts';
import { type Db, withTx } from '../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../core/kernel/ids.ts';
import { renderTable } from '../infra/local/table.ts';
import { appendGroup, appendInChange, becomeTenant, connect, hashRows } from './audit/bare-statements.ts';
import { hashLines } from './audit/hash-lines.ts';
import { readOptions } from './support/command-line.ts';
import { type Comparison, compare } from './support/comparison.ts';
import { makeTenant, startDatabase } from './support/database.ts';
import { interleaved, ratePerSecond } from './support/rounds.ts';
import { inWorkspace } from './support/workspace.ts';

const USAGE = `npm run bench -- audit [--seconds N] [--json]

Measures appends to the audit chain and its verification, compared with the bare statements on the same database, and
the verification of its export, compared with a SHA-256 of each line.

  --seconds N  approximate time to measure (default 20)
  --json       end with one JSON object on the last line`;

const options = readOptions(USAGE);

const ROUNDS = options.smoke ? 1 : 7;
/** Concurrent requests that each change something. */
const CHANGERS = 4;
/** Concurrent callers whose events belong to no change. */
const GROUP_CALLERS = 400;
const GROUP_SIZE = 200;
const CHAIN_LENGTH = options.smoke ? 2_000 : 20_000;
/** As many as in a busy quarter of an hour. */
const EVENTS_PER_CHECKPOINT = 1_000;

/** One chain grows, and the other is only read. */
const GROWING = 'growing' as TenantId;
const SETTLED = 'settled' as TenantId;

const ENTRY: AuditEntry = {
  category: 'governance',
  type: 'domain_updated',
  target: { kind: 'domain', id: 'dom_01k0000000000000000000000a' },
  details: { informationTypes: 7, status: 'approved' },
};
const changer = (caller: number) => `changer-${caller}` as PrincipalId;
const sourceOf = (tenantId: TenantId, caller: number) => ({
  tenantId,
  principalId: changer(caller),
  correlationId: 'cor_01k0000000000000000000000a',
  now: Date.now(),
});

const seed = (db: Db, tenantId: TenantId, people: number) =>
  makeTenant(
    db,
    tenantId,
    Array.from({ length: people }, (_, caller) => changer(caller)),
  );

async function measureInChange(url: string, db: Db, seconds: number): Promise<Comparison> {
  const clients = await Promise.all(Array.from({ length: CHANGERS }, () => connect(url)));
  const text = auditText(sourceOf(GROWING, 0), ENTRY);
  const ours = (caller: number) =>
    withTx(db, { tenantId: GROWING, mode: 'write' }, async (tx) => {
      const source = sourceOf(GROWING, caller);
      await tx.execute(sql`
        update principals set last_sign_in_at = ${new Date(source.now)}
         where tenant_id = ${tx.tenantId} and principal_id = ${source.principalId}`);
      await appendAudit(tx, [auditText(source, ENTRY)]);
    });
  const bare = async (caller: number) => {
    const client = clients[caller];
    if (client === undefined) throw new RangeError('More callers than connections');
    await appendInChange(client, { tenantId: GROWING, principalId: changer(caller), text });
  };
  const samples = await interleaved(
    ROUNDS,
    () => ratePerSecond(seconds, CHANGERS, ours),
    () => ratePerSecond(seconds, CHANGERS, bare),
  );
  await Promise.all(clients.map((client) => client.end()));
  return compare(samples);
}

async function measureGrouped(url: string, db: Db, seconds: number): Promise<Comparison> {
  const group = new AuditGroup(db);
  const client = await connect(url);
  await becomeTenant(client, GROWING);
  const texts = Array.from({ length: GROUP_SIZE }, (_, caller) =>
    auditText(sourceOf(GROWING, caller), ENTRY),
  );
  const samples = await interleaved(
    ROUNDS,
    () => ratePerSecond(seconds, GROUP_CALLERS, (caller) => group.append(sourceOf(GROWING, caller), ENTRY)),
    async () => GROUP_SIZE * (await ratePerSecond(seconds, 1, () => appendGroup(client, texts))),
  );
  await client.end();
  return compare(samples);
}

async function measureVerify(url: string, db: Db, seconds: number): Promise<Comparison> {
  const client = await connect(url);
  await becomeTenant(client, SETTLED);
  const texts = Array.from({ length: GROUP_SIZE }, (_, caller) =>
    auditText(sourceOf(SETTLED, caller), ENTRY),
  );
  const signer = auditSigner(
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  );
  for (let events = GROUP_SIZE; events <= CHAIN_LENGTH; events += GROUP_SIZE) {
    await appendGroup(client, texts);
    if (events % EVENTS_PER_CHECKPOINT > 0) continue;
    await signCheckpoints(db, { signer, clock: Date.now, signal: new AbortController().signal });
  }
  const ours = async () => {
    const report = await withTx(db, { tenantId: SETTLED, mode: 'read' }, verifyChain);
    if (!report.ok || report.count !== CHAIN_LENGTH) throw new Error('The chain is not valid');
  };
  const bare = async () => {
    if ((await hashRows(client, SETTLED)) !== CHAIN_LENGTH) throw new Error('Rows are missing');
  };
  const samples = await interleaved(
    ROUNDS,
    async () => CHAIN_LENGTH * (await ratePerSecond(seconds, 1, ours)),
    async () => CHAIN_LENGTH * (await ratePerSecond(seconds, 1, bare)),
  );
  await client.end();
  return compare(samples);
}

/** Measures an export of the settled chain. */
async function measureOffline(db: Db, folder: string, seconds: number): Promise<Comparison> {
  const file = path.join(folder, 'trail.ndjson');
  const source = await auditExportSource((fn) => withTx(db, { tenantId: SETTLED, mode: 'read' }, fn));
  await pipeline(auditNdjson(source), createWriteStream(file));
  const ours = async () => {
    const report = await verifyExport([{ name: file, open: () => createReadStream(file) }]);
    if (!report.ok || report.count !== CHAIN_LENGTH) throw new Error('The export is not valid');
  };
  const bare = async () => {
    if ((await hashLines(file)) < CHAIN_LENGTH) throw new Error('Lines are missing');
  };
  const samples = await interleaved(
    ROUNDS,
    async () => CHAIN_LENGTH * (await ratePerSecond(seconds, 1, ours)),
    async () => CHAIN_LENGTH * (await ratePerSecond(seconds, 1, bare)),
  );
  return compare(samples);
}

/** Four figures, each with an uncounted round. Every round has two sides. */
const seconds = options.seconds / (4 * (ROUNDS + 1) * 2);

const figures = await inWorkspace(async (workspace) => {
  const { ownerUrl, url } = await startDatabase(workspace);
  const db = createPool(url, { max: CHANGERS, applicationName: 'bench' });
  workspace.atEnd(db.close);
  const owner = createPool(ownerUrl, { max: 1, applicationName: 'bench' });
  await seed(owner, GROWING, GROUP_CALLERS);
  await seed(owner, SETTLED, 0);
  await owner.close();
  return {
    inChange: await measureInChange(url, db, seconds),
    grouped: await measureGrouped(url, db, seconds),
    verify: await measureVerify(url, db, seconds),
    offline: await measureOffline(db, workspace.folder, seconds),
  };
});

const row = (name: string, { ours, bare, ratio }: Comparison) => [name, ours, bare, ratio.toFixed(2)];
console.log(
  renderTable(
    ['Events per second', 'ours', 'bare', 'ratio'],
    [
      row(`appended in a change, ${CHANGERS} at once`, figures.inChange),
      row(`appended in groups, ${GROUP_CALLERS} callers`, figures.grouped),
      row(`verified, a chain of ${CHAIN_LENGTH}`, figures.verify),
      row('verified offline, its export', figures.offline),
    ],
  ),
);
if (options.json) console.log(JSON.stringify(figures));
