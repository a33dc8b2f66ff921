import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';
import { kindLexemes } from '../search/searched-words.ts';
import type { EffectiveSignals } from '../signals/suppression.ts';
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

/**
 * Stores what counts of the signals of assets, or that all of them do. Search finds the assets by the kinds that count.
 */
export async function storeEffectiveSignals(
  tx: Tx,
  effective: readonly ({ assetId: AssetId } & EffectiveSignals)[],
): Promise<void> {
  const whole = effective.filter(({ suppressed }) => suppressed.length === 0);
  const lessened = effective.filter(({ suppressed }) => suppressed.length > 0);
  const kinds = effective.map(({ assetId, signals }) => ({
    assetId,
    kinds: kindLexemes(tx.tenantId, signals),
  }));
  await tx.execute(sql`
    with whole as (
      delete from asset_suppressions
       where tenant_id = ${tx.tenantId} and asset_id = any(${whole.map(({ assetId }) => assetId)}::text[])
      returning asset_id
    ), lessened as (
      insert into asset_suppressions (tenant_id, asset_id, signals, suppressed)
      select ${tx.tenantId}, "assetId", signals, suppressed
        from jsonb_to_recordset(${sql.json(lessened)}::jsonb) as s ("assetId" text, signals jsonb, suppressed jsonb)
      on conflict (tenant_id, asset_id) do update
        set signals = excluded.signals, suppressed = excluded.suppressed
      returning asset_id
    ), changed as (
      select asset_id, kinds
        from (select asset_id from whole union all select asset_id from lessened) stored
        join jsonb_to_recordset(${sql.json(kinds)}::jsonb) as k ("assetId" text, kinds text[])
          on k."assetId" = stored.asset_id
    )
    update asset_features f
       set search_lexemes = array(select each from unnest(f.search_lexemes) as each where each not like '~%')
                            || changed.kinds
      from changed where f.tenant_id = ${tx.tenantId} and f.asset_id = changed.asset_id and f.search_lexemes is not null
       and array(select each from unnest(f.search_lexemes) as each where each like '~%' order by 1)
           is distinct from array(select unnest(changed.kinds) order by 1)`);
}
