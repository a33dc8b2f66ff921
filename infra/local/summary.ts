import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import { DETECTORS } from '../../core/detectors/index.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { renderTable } from './table.ts';

/** What the scans found, as tables for a terminal: assets by state, identifiers, information types, candidates per owner. */
export async function summarize(databaseUrl: string, tenantId: TenantId, url: string): Promise<string> {
  const db = createPool(databaseUrl, { max: 1, applicationName: 'summary' });
  try {
    return await withTx(db, { tenantId, mode: 'read' }, async (tx) => {
      const owners = await candidatesPerOwner(tx);
      return [
        renderTable(['Assets by content state', 'Count'], await assetsByState(tx)),
        renderTable(['Identifier found', 'Assets', 'Hits'], await identifiers(tx)),
        renderTable(['Information type found', 'Domain', 'Candidates'], await informationTypes(tx)),
        renderTable(
          ['Owner', 'Owns', 'Candidates', 'Persona'],
          owners.map((owner) => [owner.name, owner.domains, owner.candidates, owner.principalId]),
        ),
        nextStep(url, owners[0]?.principalId),
      ].join('\n');
    });
  } finally {
    await db.close();
  }
}

const assetsByState = async (tx: Tx) =>
  (
    await tx.query<{ state: string; count: number }>(sql`
      select content_state as state, count(*)::int as count from assets
       where tenant_id = ${tx.tenantId} and status = 'active' group by 1 order by 2 desc, 1`)
  ).map((row) => [row.state, row.count]);

const titles = new Map(DETECTORS.map(({ id, title }) => [id, title]));

const identifiers = async (tx: Tx) =>
  (
    await tx.query<{ id: string; assets: number; hits: number }>(sql`
      select s ->> 'detectorId' as id, count(*)::int as assets, sum((s ->> 'count')::int)::int as hits
        from asset_features f join assets a using (tenant_id, asset_id)
       cross join lateral jsonb_array_elements(f.features -> 'signals') as s
       where f.tenant_id = ${tx.tenantId} and a.status = 'active' group by 1 order by 2 desc, 3 desc, 1`)
  ).map((row) => [titles.get(row.id) ?? row.id, row.assets, row.hits]);

const informationTypes = async (tx: Tx) =>
  (
    await tx.query<{ type: string; domain: string; count: number }>(sql`
      select t.name as type, d.name as domain, count(*)::int as count
        from candidates c
        join information_types t using (tenant_id, information_type_id)
        join domains d on d.tenant_id = c.tenant_id and d.domain_id = c.domain_id
       where c.tenant_id = ${tx.tenantId} and c.status in ('pending', 'deferred', 'confirmed')
       group by 1, 2 order by 3 desc, 1, 2 limit 30`)
  ).map((row) => [row.type, row.domain, row.count]);

type OwnerRow = { name: string; principalId: string; domains: string; candidates: number };

const candidatesPerOwner = (tx: Tx) =>
  tx.query<OwnerRow>(sql`
    select p.display_name as name, p.principal_id as "principalId", string_agg(distinct d.name, ', ') as domains,
           count(distinct c.candidate_id)::int as candidates
      from owner_assignments o
      join principals p using (tenant_id, principal_id)
      join domains d using (tenant_id, domain_id)
      left join candidates c
        on c.tenant_id = o.tenant_id and c.domain_id = o.domain_id and c.status = 'pending'
     where o.tenant_id = ${tx.tenantId} and o.ended_at is null
     group by 1, 2 order by 4 desc, 1`);

const nextStep = (url: string, principalId: string | undefined) =>
  principalId === undefined
    ? ''
    : `Is this yours? Sign in as the first owner and look at the queue:

  curl -s -c .data/cookies -H 'content-type: application/json' \\
       -d '{"principalId":"${principalId}"}' ${url}/api/auth/dev/login
  curl -s -b .data/cookies ${url}/api/review/queue

Every endpoint, to try in the browser: ${url}/api/docs
`;
