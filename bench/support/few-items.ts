import { withClient } from '../../core/db/client.ts';
import { DEVELOPMENT_TENANT_ID } from '../../infra/local/seed.ts';

const PER_SCOPE = 4;

/** Leaves a few items of each scope to the fixture of the development tenant: enough for the smoke mode to scan. */
export const keepFewItems = (ownerUrl: string): Promise<void> =>
  withClient(ownerUrl, async (client) => {
    // No role of the product deletes items, and the owner of the table sees none as long as row-level security is forced.
    await client.query(`
      begin;
      alter table fixture_items no force row level security;
      delete from fixture_items i using (
        select ctid, row_number() over (partition by scope_external_id order by external_id) as n
          from fixture_items where tenant_id = '${DEVELOPMENT_TENANT_ID}') numbered
       where i.ctid = numbered.ctid and n > ${PER_SCOPE};
      alter table fixture_items force row level security;
      commit`);
  });
