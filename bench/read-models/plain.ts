import { sqlState } from '../../core/db/errors.ts';
import type { Db } from '../../core/db/pool.ts';
import { TENANT_ID } from './tenant.ts';

/**
 * The same questions as plain SQL over the base tables, without projections: the cost of an answer for a service
 * without projections. `$1` is the tenant, `$2` the domains of the reader or null. Endpoints without such a statement
 * are omitted.
 */
const TIES = `k.tenant_id = $1 and k.status in ('pending', 'deferred', 'confirmed') and ($2::text[] is null or k.domain_id = any($2))`;
const SEEN = `($2::text[] is null or exists (select from candidates k where k.asset_id = a.asset_id and ${TIES}))`;
const LIST = (where: string, rows = 201) => `
  select a.*, s.name as scope_name from assets a join scopes s using (tenant_id, scope_id)
   where a.tenant_id = $1 and a.status = 'active' and ${SEEN} and ${where}
   order by a.changed_at desc, a.asset_id desc limit ${rows}`;
const SOUGHT = `a.name || ' ' || a.path ilike '%quarterly%' and a.name || ' ' || a.path ilike '%report%'`;

export const PLAIN: Readonly<Record<string, string>> = {
  home: `
    select k.domain_id, count(distinct a.asset_id) as assets, count(*) filter (where k.status = 'pending') as pending,
           count(distinct a.asset_id) filter (where a.label_state = 'unlabeled') as unlabeled,
           count(distinct a.asset_id) filter (where a.changed_at > now() - interval '7 days') as changed,
           count(distinct f.finding_id) as findings
      from candidates k
      join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id and a.status = 'active'
      left join findings f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved'
     where ${TIES} group by k.domain_id`,
  landscape: `
    select k.domain_id, k.information_type_id, a.scope_id, k.status, count(distinct a.asset_id) as assets,
           count(distinct f.finding_id) as findings
      from candidates k
      join assets a on a.tenant_id = k.tenant_id and a.asset_id = k.asset_id and a.status = 'active'
      left join findings f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved'
     where ${TIES} group by 1, 2, 3, 4`,
  assets: LIST('true'),
  'assets, search': LIST(SOUGHT, 51),
  'assets, filter': LIST(`a.risk_severity = 'critical'`),
  'assets, both': LIST(`${SOUGHT} and a.risk_severity = 'critical'`, 51),
  queue: `
    select k.*, a.name, a.path from candidates k join assets a using (tenant_id, asset_id)
     where ${TIES} and k.status = 'pending' and a.status = 'active'
     order by k.confidence * 100 + case a.risk_severity when 'critical' then 300 when 'high' then 200 when 'medium' then 100
              else 0 end + (select count(*) from assets c where c.tenant_id = a.tenant_id and c.content_hash = a.content_hash and c.status = 'active') desc
     limit 201`,
  findings: `
    select f.*, a.name from findings f join assets a using (tenant_id, asset_id)
     where f.tenant_id = $1 and f.status <> 'resolved' and ${SEEN}
     order by f.severity_rank desc, f.opened_at desc, f.finding_id desc limit 201`,
};

/** Longer statements are cancelled. */
export const PLAIN_TIMEOUT_MS = 10_000;

/** The duration of each call in milliseconds, with all readers at once, for some seconds. */
export async function plainLatencies(
  { pool }: Db,
  text: string,
  readers: readonly (readonly string[] | null)[],
  seconds: number,
): Promise<number[]> {
  const took: number[] = [];
  const deadline = performance.now() + seconds * 1000;
  await Promise.all(
    readers.map(async (domainIds) => {
      do {
        const started = performance.now();
        await pool.query(text, [TENANT_ID, domainIds]).catch(unlessTimedOut);
        took.push(performance.now() - started);
      } while (performance.now() < deadline);
    }),
  );
  return took;
}

const QUERY_CANCELED = '57014';

const unlessTimedOut = (error: unknown) => {
  if (sqlState(error) !== QUERY_CANCELED) throw error;
};
