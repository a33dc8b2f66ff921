import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { StandingSignals } from '../signals/suppression.ts';
import type { Signatures } from '../similarity/likeness.ts';

/** The stored signatures of an asset's text, or null. */
export async function storedSignatures(tx: Tx, assetId: AssetId): Promise<Signatures | null> {
  const [row] = await tx.query<Signatures>(sql`
    select shingles, template from asset_sketches where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  return row ?? null;
}

/** Domains that a person tied the asset to, in order: that confirmed it, put it off, or got it from a colleague. */
export async function domainsTiedByPeople(tx: Tx, assetId: AssetId): Promise<string[]> {
  const rows = await tx.query<{ domainId: string }>(sql`
    select distinct domain_id as "domainId" from candidates
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
       and (status in ('confirmed', 'deferred') or (status = 'pending' and band = 'routed'))
     order by 1`);
  return rows.map(({ domainId }) => domainId);
}

/** Stores what counts of an asset's signals, or that all of them do. */
export const storeStandingSignals = (
  tx: Tx,
  assetId: AssetId,
  { signals, suppressed }: StandingSignals,
): Promise<number> =>
  tx.execute(
    suppressed.length === 0
      ? sql`delete from asset_suppressions where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`
      : sql`
        insert into asset_suppressions (tenant_id, asset_id, signals, suppressed)
        values (${tx.tenantId}, ${assetId}, ${sql.json(signals)}::jsonb, ${sql.json(suppressed)}::jsonb)
        on conflict (tenant_id, asset_id) do update
          set signals = excluded.signals, suppressed = excluded.suppressed`,
  );
