import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isWeakerLabel, labelNameOf } from '../../core/actions/target.sql.ts';
import type { SourceFamily } from '../../core/connectors/connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { loadRiskStates } from '../../core/findings/risk.sql.ts';
import { listLabels, storeLabels } from '../../core/governance/labels.sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
const tenantId = 'label-catalog' as TenantId;
const NOW = Date.UTC(2026, 0, 1);
const SUITE = ['Public', 'Internal', 'Secret'];
const BOX = ['Open', 'Closed'];

beforeAll(async () => {
  database = await createTestDatabase();
  const scopeId = await makeTenant(database, tenantId, NOW);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select tenant_id, 'scp_box', connector_instance_id, 'file_box', 'box', name, kind, created_at from scopes
     where tenant_id = ${tenantId}`);
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, label_state, label_guid, label_name, first_seen_at, last_seen_at, changed_at)
    select ${tenantId}, a, s, a, a, a, 'file', 1, 'v', 'c', 'labeled', g, g, now(), now(), now()
      from (values ('ast_suite', ${scopeId}, 'Internal'), ('ast_box', 'scp_box', 'Closed'),
                   ('ast_other', 'scp_box', 'Internal')) as v (a, s, g)`);
});
afterAll(() => database.drop());

const write = <T>(run: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, run);
const store = (family: SourceFamily, names: readonly string[]) =>
  write((tx) =>
    storeLabels(
      tx,
      family,
      names.map((name) => ({ guid: name, name })),
      NOW,
    ),
  );
const listed = async () =>
  (await write((tx) => listLabels(tx, 100))).map(({ family, name, rank }) => [family, name, rank]);
const BOTH = [
  ['file_box', 'Open', 0],
  ['file_box', 'Closed', 1],
  ['m365', 'Public', 0],
  ['m365', 'Internal', 1],
  ['m365', 'Secret', 2],
];

test('each source family keeps its own labels, whichever is scanned last', async () => {
  await store('m365', SUITE);
  await store('file_box', BOX);
  expect(await listed()).toEqual(BOTH);
  await store('m365', SUITE);
  expect(await listed()).toEqual(BOTH);
});

test('an id that another family has stays its own', async () => {
  await store('file_box', ['Secret', ...BOX]);
  expect(await listed()).toContainEqual(['m365', 'Secret', 2]);
  await store('file_box', BOX);
  expect(await listed()).toEqual(BOTH);
});

test('a label is as strong as its place among those of its own family', async () => {
  const ranks = await write((tx) => loadRiskStates(tx, ['ast_suite', 'ast_box', 'ast_other'], NOW));
  const byId = Object.fromEntries(
    ranks.map(({ assetId, facts: { label } }) => [assetId, [label.rank, label.topRank]]),
  );
  expect(byId).toEqual({ ast_suite: [1, 2], ast_box: [1, 1], ast_other: [null, 1] });
});

test('a label of another family has no name for a file, and is not weaker than its own', async () => {
  await write(async (tx) => {
    expect(await labelNameOf(tx, { family: 'm365' }, 'Secret')).toBe('Secret');
    expect(await labelNameOf(tx, { family: 'file_box' }, 'Secret')).toBeNull();
    expect(await isWeakerLabel(tx, 'Open', 'Closed')).toBe(true);
    expect(await isWeakerLabel(tx, 'Open', 'Secret')).toBe(false);
  });
});

describe('labels that an earlier release listed', () => {
  const OLD = ['Public', 'Open', 'Internal', 'Secret'].map((name, rank) => ({ name, rank }));
  const familyOf = async () => Object.fromEntries((await listed()).map(([family, name]) => [name, family]));
  const topRank = async (assetId: string) =>
    (await write((tx) => loadRiskStates(tx, [assetId], NOW)))[0]?.facts.label.topRank;
  beforeEach(async () => {
    await database.inspect(sql`delete from sensitivity_labels where tenant_id = ${tenantId}`);
    await database.inspect(sql`
      insert into sensitivity_labels (tenant_id, label_guid, name, rank, updated_at)
      select ${tenantId}, l.name, l.name, l.rank, now()
        from jsonb_to_recordset(${sql.json(OLD)}::jsonb) as l (name text, rank smallint)`);
  });

  test('are of any family until it lists its own', async () => {
    expect(await write((tx) => labelNameOf(tx, { family: 'file_box' }, 'Secret'))).toBe('Secret');
    expect(await topRank('ast_box')).toBe(3);
    await store('file_box', BOX);
    expect(await write((tx) => labelNameOf(tx, { family: 'file_box' }, 'Secret'))).toBeNull();
    expect([await topRank('ast_box'), await topRank('ast_suite')]).toEqual([1, 3]);
  });

  test('stay while another family than Microsoft 365 lists its own, which takes them', async () => {
    await store('cloud_drive', ['c1']);
    await store('file_box', BOX);
    const others = { c1: 'cloud_drive', Open: 'file_box', Closed: 'file_box' };
    expect(await familyOf()).toEqual({ Public: null, Internal: null, Secret: null, ...others });
    await store('m365', ['Public', 'Internal']);
    expect(await familyOf()).toEqual({ Public: 'm365', Internal: 'm365', ...others });
  });
});
