import pg from 'pg';
import { startRescoreCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { createPool } from '../../core/db/pool.ts';
import { withTx } from '../../core/db/tx.ts';
import type { CampaignId, PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { enqueueUnits, type NewUnit } from '../../core/work/enqueue.sql.ts';
import { batches, type MakeQueue } from './queue.ts';

const tenantId = 'bench-engine' as TenantId;

const unit = (n: number): NewUnit => ({ kind: 'rescore_asset', logicalKey: `asset:${n}`, payload: { n } });

/** Units of one campaign, with leases, attempts, fencing, idempotent keys and the campaign's counters. */
export const ours: MakeQueue = async ({ url, adminUrl }, { atEnd }) => {
  const db = createPool(url, { max: 2, applicationName: 'bench' });
  atEnd(db.close);
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  atEnd(() => admin.end());
  await admin.query(
    `insert into tenants (tenant_id, name, created_at) values ('${tenantId}', 'bench', now())`,
  );
  let campaign: CampaignId | undefined;
  return {
    name: 'this service',
    drainer: new URL('./drain-ours.ts', import.meta.url),
    enqueue: async (jobs, perStatement) => {
      for (const numbers of batches(jobs, perStatement)) {
        await withTx(db, { tenantId, mode: 'write' }, async (tx) => {
          if (campaign !== undefined) await enqueueUnits(tx, campaign, numbers.map(unit), Date.now());
          else {
            const origin = { createdBy: 'bench' as PrincipalId, correlationId: 'bench' };
            campaign =
              (await startRescoreCampaign(tx, { ...origin, first: numbers.map(unit) }, Date.now())) ??
              undefined;
          }
        });
      }
    },
    hasOpen: async () => {
      const { rows } = await admin.query(
        `select exists (select 1 from campaigns where status <> 'completed') as open`,
      );
      return rows[0].open;
    },
    clear: async () => {
      campaign = undefined;
      await admin.query('truncate work_units, dead_letters, campaign_stage_counts, campaigns cascade');
      await admin.query('vacuum (analyze) work_units');
    },
  };
};
