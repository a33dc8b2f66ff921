import { verifyChain } from '../../../core/audit/verify-chain.ts';
import { sweepCampaignEnds } from '../../../core/campaigns/audit-campaign-ends.ts';
import { createPool } from '../../../core/db/pool.ts';
import { type Statement, sql } from '../../../core/db/sql.ts';
import { withTx } from '../../../core/db/tx.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';
import type { TestDatabase } from '../database.ts';
import { contradictions, openUnits } from '../work-truth.ts';
import { BUSY } from './busy-tenant.ts';

type Inspected = Pick<TestDatabase, 'inspect' | 'db'>;

/** Opens a database for questions about it, as the runtime login and as superuser. */
export function openDatabase({ adminUrl, url }: { adminUrl: string; url: string }): Inspected & {
  close(): Promise<void>;
} {
  const db = createPool(url, { max: 2, applicationName: 'truth' });
  const superuser = createPool(adminUrl, { max: 2, applicationName: 'truth' });
  return {
    db,
    inspect: async <Row extends object>({ text, values }: Statement) =>
      (await superuser.pool.query<Row>(text, [...values])).rows,
    close: async () => {
      await Promise.all([db.close(), superuser.close()]);
    },
  };
}

/** The number of units of the busy tenant that have taken in a file. */
export async function filesTakenIn({ inspect }: Inspected): Promise<number> {
  const [row] = await inspect<{ n: number }>(sql`
    select count(*)::int as n from work_units
     where tenant_id = ${BUSY} and kind = 'process_asset' and status = 'completed'`);
  return row?.n ?? 0;
}

/** What is wrong with a database after the work in it has ended. Every list is empty if nothing is. */
export type Wrong = {
  openUnits: number;
  contradictions: object[];
  deadLetters: object[];
  /** Files that are no asset, or that were taken in more than once. */
  files: object[];
  /** Answered changes and ended scans that the audit trail does not have exactly once. */
  audit: object[];
  brokenChains: object[];
};

export const NOTHING_WRONG: Wrong = {
  openUnits: 0,
  contradictions: [],
  deadLetters: [],
  files: [],
  audit: [],
  brokenChains: [],
};

/** @param added ids of the files of the busy tenant whose addition was answered */
export async function whatIsWrong(database: Inspected, added: Iterable<string>): Promise<Wrong> {
  // What a timer does for campaigns whose process died before it could audit their end.
  await sweepCampaignEnds({ db: database.db, clock: Date.now }, new AbortController().signal);
  const ids = [...added];
  return {
    openUnits: await openUnits(database),
    contradictions: await contradictions(database),
    deadLetters: await database.inspect(sql`
      select safe_diagnostic, count(*)::int from dead_letters where tenant_id = ${BUSY} group by 1`),
    files: await wrongFiles(database, ids),
    audit: await wrongEvents(database, ids),
    brokenChains: await brokenChains(database),
  };
}

/** A file that nobody has changed is one asset with one version, and was scored once. */
const wrongFiles = ({ inspect }: Inspected, added: readonly string[]): Promise<object[]> =>
  inspect(sql`
    select file, count(a.asset_id)::int as assets, sum(v.versions)::int as versions, sum(i.scorings)::int as scorings
      from unnest(${added}::text[]) as file
      left join assets a on a.tenant_id = ${BUSY} and a.external_id = file and a.status = 'active'
      left join lateral (
        select count(*) as versions from asset_versions v
         where v.tenant_id = a.tenant_id and v.asset_id = a.asset_id) v on true
      left join lateral (
        select count(distinct inference_key) as scorings from inferences i
         where i.tenant_id = a.tenant_id and i.asset_id = a.asset_id) i on true
     group by file
    having count(a.asset_id) <> 1 or sum(v.versions) <> 1 or sum(i.scorings) <> 1`);

const wrongEvents = ({ inspect }: Inspected, added: readonly string[]): Promise<object[]> =>
  inspect(sql`
    with events as (
      select record::jsonb #>> '{event,type}' as type, record::jsonb #>> '{event,target,id}' as id
        from audit_events where tenant_id = ${BUSY}
    ), expected as (
      select 'fixture_mutated' as type, file as id from unnest(${added}::text[]) as file
      union all
      select 'scan_completed', campaign_id from campaigns
       where tenant_id = ${BUSY} and status = 'completed' and scope_id is not null
    )
    select type, id, count(events.id)::int as events from expected left join events using (type, id)
     group by 1, 2 having count(events.id) <> 1`);

async function brokenChains({ inspect, db }: Inspected): Promise<object[]> {
  const tenants = await inspect<{ tenantId: TenantId }>(
    sql`select tenant_id as "tenantId" from tenants order by 1`,
  );
  const broken: object[] = [];
  for (const { tenantId } of tenants) {
    const { ok, firstBreak } = await withTx(db, { tenantId, mode: 'read' }, (tx) => verifyChain(tx));
    if (!ok) broken.push({ tenantId, ...firstBreak });
  }
  return broken;
}
