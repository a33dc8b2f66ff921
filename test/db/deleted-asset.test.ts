import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { storeRisks } from '../../core/findings/risk.sql.ts';
import type { FindingKind } from '../../core/findings/risk.ts';
import type { ScopeId } from '../../core/kernel/ids.ts';
import { markDeleted } from '../../core/scan/inventory.sql.ts';
import { storeScanned } from '../support/assets.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const MINUTE = 60_000;
const OPENED = Date.now() - 10 * MINUTE;

let database: TestDatabase;
let assetId: string;
let assets = 0;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
});
beforeEach(async () => {
  assetId = `ast_deleted_${++assets}`;
  await storeScanned(database.db, DEV, [{ assetId }]);
  await write((tx) => open(tx, 'label', OPENED));
});
afterAll(() => database.drop());

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId: DEV, mode: 'write' }, fn);

const open = (tx: Tx, kind: FindingKind, now: number) =>
  storeRisks(
    tx,
    [
      {
        assetId,
        components: [],
        findings: [{ kind, severity: 'high', notes: '', status: 'open', acknowledgedDecisionId: null }],
        answer: null,
      },
    ],
    now,
  );

async function deleteAt(tx: Tx, now: number) {
  const [asset] = await tx.query<{ scopeId: ScopeId; externalId: string }>(sql`
    select scope_id as "scopeId", external_id as "externalId" from assets where asset_id = ${assetId}`);
  if (asset !== undefined) await markDeleted(tx, asset.scopeId, [asset.externalId], now);
}

/** As the previous release does it, which does not know `deleted_at`. */
const setStatus = (tx: Tx, status: 'active' | 'deleted') =>
  tx.execute(sql`update assets set status = ${status} where asset_id = ${assetId}`);

const resolutions = (tx: Tx) =>
  tx.query<{ kind: string; resolvedAt: Date; changedAt: Date; isNow: boolean }>(sql`
    select kind, resolved_at as "resolvedAt", changed_at as "changedAt", resolved_at = now() as "isNow"
      from findings where asset_id = ${assetId} order by kind`);

test('findings are resolved when their asset was deleted', async () => {
  const at = OPENED + MINUTE;
  await write((tx) => deleteAt(tx, at));
  const resolved = { resolvedAt: new Date(at), changedAt: new Date(at) };
  expect(await write(resolutions)).toMatchObject([{ kind: 'label', ...resolved }]);
});

test('a deletion by the previous release resolves findings when it happens', async () => {
  await write((tx) => deleteAt(tx, OPENED + MINUTE));
  await write((tx) => setStatus(tx, 'active'));
  await write((tx) => open(tx, 'exposure', OPENED + 2 * MINUTE));
  const rows = await write(async (tx) => {
    await setStatus(tx, 'deleted');
    return resolutions(tx);
  });
  expect(rows).toMatchObject([
    { kind: 'exposure', isNow: true },
    { kind: 'label', resolvedAt: new Date(OPENED + MINUTE) },
  ]);
});

test('a deletion told before a finding was opened resolves it when it was opened', async () => {
  await write((tx) => deleteAt(tx, OPENED - MINUTE));
  const resolved = { resolvedAt: new Date(OPENED), changedAt: new Date(OPENED) };
  expect(await write(resolutions)).toMatchObject([{ kind: 'label', ...resolved }]);
});
