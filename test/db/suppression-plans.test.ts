import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { assetsOfSuppression } from '../../core/signals/active-suppressions.sql.ts';
import type { Suppression } from '../../core/signals/suppression.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, queriesOf, withPlans } from '../support/plans.ts';
import { addSearchedTenant } from '../support/searched-tenant.ts';

const ASSETS = 3_000;
/** Each of so many has a find of any detector, and each of so many one of the rare detector. */
const WITH_FIND = 3;
const RARE = 600;

let database: TestDatabase;
let tenantId: TenantId;
let scopeId: string;

beforeAll(async () => {
  database = await createTestDatabase({ max: 2 });
  tenantId = await addSearchedTenant(database);
  const [scope] = await database.inspect<{ scopeId: string }>(sql`
    select scope_id as "scopeId" from scopes where tenant_id = ${tenantId} limit 1`);
  scopeId = scope?.scopeId ?? '';
  await database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, first_seen_at, last_seen_at)
    select ${tenantId}, 'ast_' || lpad(n::text, 6, '0'), ${scopeId}, 'e' || n, 'n', 'n', 'file', 1, 'v', 'c', now(), now()
      from generate_series(1, ${ASSETS}::int) as n`);
  await database.inspect(sql`
    insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, computed_at)
    select ${tenantId}, 'ast_' || lpad(n::text, 6, '0'), 'key', jsonb_build_object('text', repeat(md5(n::text), 100)),
           case when n % ${RARE}::int = 0 then '{iban,email}'::text[] when n % ${WITH_FIND}::int = 0 then '{email}'
                else '{}' end, now()
      from generate_series(1, ${ASSETS}::int) as n`);
  await database.inspect(sql`vacuum (analyze) assets, asset_features`);
});
afterAll(() => database.drop());

const rule = (detectorId: string): Suppression => ({
  ...{ suppressionId: 'sup_1', kind: 'detector_in_scope', detectorId },
  ...{ domainId: null, scopeId, folder: null },
});
const rare = Array.from(
  { length: ASSETS / RARE },
  (_, n) => `ast_${String((n + 1) * RARE).padStart(6, '0')}`,
);

/** Every step, one after the other. */
async function stepsOf(detectorId: string, mostLooked: number) {
  const steps: string[][] = [];
  await withTx(database.db, { tenantId, mode: 'read' }, async (tx) => {
    for (let after: string | null = ''; after !== null; ) {
      const step = await assetsOfSuppression(tx, rule(detectorId), after, undefined, mostLooked);
      steps.push(step.assetIds);
      after = step.next;
    }
  });
  return steps;
}

test('the assets of a rare detector are found by the index of finds alone', async () => {
  const asked = await queriesOf(database.db, tenantId, async (tx) => {
    expect((await assetsOfSuppression(tx, rule('iban'), '')).assetIds).toEqual(rare);
  });
  const plans = await withPlans(database.adminUrl, tenantId, (plansOf) => plansOf(...asked));
  const nodes = plans.flatMap(({ Plan }) => nodesOf(Plan));
  const read = (relation: string) =>
    nodes
      .filter((node) => node['Relation Name'] === relation)
      .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), 0);
  const byIndex = nodes.filter((node) => node['Index Name'] === 'asset_features_found');
  expect(byIndex.map((node) => node['Node Type'])).toContain('Index Only Scan');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  // Each found asset, and its features once more where the value is compared.
  expect(read('assets')).toBeLessThanOrEqual(rare.length);
});

test('steps that end early find the same assets, each once', async () => {
  for (const mostLooked of [7, 250, ASSETS]) {
    const steps = await stepsOf('iban', mostLooked);
    expect(steps.flat()).toEqual(rare);
    const found = Math.floor(ASSETS / WITH_FIND);
    expect(steps).toHaveLength(Math.floor(found / mostLooked) + 1);
  }
});

test('a step of a common detector ends after a batch of assets', async () => {
  const steps = await stepsOf('email', ASSETS);
  expect(steps.map(({ length }) => length)).toEqual([1_000, 0]);
});
