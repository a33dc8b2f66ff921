import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** The texts that a type is found by: its own and those of its domain. Null if there is no such type. */
export async function approvedTexts(tx: Tx, informationTypeId: string): Promise<string[] | null> {
  const [row] = await tx.query<{ texts: string[] }>(sql`
    select array[t.name, t.definition, d.name, d.inclusion]
             || array(select jsonb_array_elements_text(t.indicators -> 'keywords')) as texts
      from information_types t join domains d using (tenant_id, domain_id)
     where t.tenant_id = ${tx.tenantId} and t.information_type_id = ${informationTypeId}`);
  return row?.texts ?? null;
}

/** The names of the assets that owners confirmed as the type, those that changed last first. */
export async function namesOfConfirmed(tx: Tx, informationTypeId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.name
      from asset_placements p join assets a using (tenant_id, asset_id)
     where p.tenant_id = ${tx.tenantId} and p.information_type_id = ${informationTypeId}
       and p.provenance = 'confirmed' and a.status = 'active'
     order by p.changed_at desc, p.asset_id desc limit ${limit}`);
  return rows.map(({ name }) => name);
}

/** The names of the newest assets that nobody confirmed as the type. */
export async function namesOfOthers(tx: Tx, informationTypeId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select a.name
      from assets a
     where a.tenant_id = ${tx.tenantId} and a.status = 'active'
       and not exists (
         select from asset_placements p
          where p.tenant_id = a.tenant_id and p.asset_id = a.asset_id
            and p.information_type_id = ${informationTypeId} and p.provenance = 'confirmed')
     order by a.asset_id desc limit ${limit}`);
  return rows.map(({ name }) => name);
}
