import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { sql } from '../../core/db/sql.ts';
import type { DomainId, TenantId } from '../../core/kernel/ids.ts';
import { readTrackRecord } from '../../core/review/answers-to-model.sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { nodesOf, pagesMet, queriesOf, withPlans } from '../support/plans.ts';
import { addSearchedTenant } from '../support/searched-tenant.ts';

/** In two domains by turns. */
const ANSWERS = 6_000;
/** So many of a domain are looked at, the newest first. */
const LOOKED_AT = 300;
/** Each may be looked up twice: the decision, and the type that it names. */
const PAGES = 10 * LOOKED_AT;

let database: TestDatabase;
let tenantId: TenantId;

beforeAll(async () => {
  database = await createTestDatabase({ max: 2 });
  tenantId = await addSearchedTenant(database);
});
afterAll(() => database.drop());

/** Without triggers, which would place each asset. Every tenth answer is a correction, every third a refusal. */
async function addAnswers(): Promise<void> {
  const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 8, '0')`;
  const domain = `(array['dom_a', 'dom_b'])[1 + n % 2]`;
  const type = `(array['ift_a', 'ift_b'])[1 + n % 2]`;
  const of = `from generate_series(1, ${ANSWERS}) as n`;
  await withClient(database.adminUrl, async (client) => {
    await client.query(`set session_replication_role = replica`);
    await client.query(`
      insert into information_types (tenant_id, information_type_id, domain_id, name, created_at, updated_at)
      select '${tenantId}', 'ift_' || d, 'dom_' || d, d, now(), now() from unnest('{a,b}'::text[]) d`);
    await client.query(`
      insert into candidates (tenant_id, candidate_id, asset_id, scope_id, domain_id, information_type_id, inference_id,
                              confidence, band, status, decision_id, revision, created_at, updated_at)
      select '${tenantId}', ${id('cnd')}, ${id('ast')}, 'scp', ${domain}, ${type}, ${id('inf')}, 0.4 + (n % 60) / 100.0,
             'high', case when n % 3 = 0 then 'rejected' else 'confirmed' end, ${id('dec')}, 1, now(), now() ${of}`);
    await client.query(`
      insert into decisions (tenant_id, decision_id, candidate_id, asset_id, inference_id, principal_id, decision,
                             corrected_information_type_id, training_eligible, revision, created_at)
      select '${tenantId}', ${id('dec')}, ${id('cnd')}, ${id('ast')}, ${id('inf')}, 'pri',
             case when n % 3 = 0 then 'not_a_match' when n % 10 = 0 then 'mine_different_type' else 'mine' end,
             case when n % 3 > 0 and n % 10 = 0 then 'ift_b' end, true, 1, now() ${of}`);
  });
}

test.each(['nothing', 'all'])(
  'only the newest answers are read, where the planner knows %s',
  async (known) => {
    if (known === 'nothing') await addAnswers();
    else await database.inspect(sql`vacuum (analyze) candidates, decisions, information_types`);
    for (const domainIds of [['dom_a'], ['dom_a', 'dom_b']] as DomainId[][]) {
      const asked = await queriesOf(database.db, tenantId, async (tx) => {
        const record = await readTrackRecord(tx, { kind: 'domains', domainIds }, null);
        // Of domain a, each even number was asked. A correction names the other domain.
        expect(record.ofDomain('dom_a')).toMatchObject({ answered: 10, yours: 5 });
        expect(record.ofDomain('dom_b').answered).toBe(domainIds.length > 1 ? 10 : 0);
      });
      expect(asked).toHaveLength(1);
      await withPlans(database.adminUrl, tenantId, async (plansOf) => {
        const plans = await plansOf(...asked);
        const indexes = plans.flatMap(({ Plan }) => nodesOf(Plan)).map((node) => node['Index Name']);
        expect(indexes).toContain('candidates_answered');
        expect(pagesMet(plans)).toBeLessThan(PAGES * domainIds.length);
      });
    }
  },
);
