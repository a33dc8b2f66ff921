import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { AssetId } from '../kernel/ids.ts';

/** Joins the last scoring of `assets a` as `g`. Its columns are null if none is known. */
export const joinScoring = sql`
  left join asset_scorings g
    on g.tenant_id = a.tenant_id and g.asset_id = a.asset_id and g.inference_key = a.stage_keys ->> 'inference'`;

/** What the last scoring of an asset depended on, and its result. All keys are null before the first one. */
export type LastScoring = {
  scoredKey: string | null;
  /** The key of its inferences. */
  inferenceKey: string | null;
  /** Null if a former release scored the asset. */
  resultKey: string | null;
};

/** What the last scoring of `assets a` depended on, after `joinScoring`. */
const scoredKey = sql`coalesce(g.scored_key, a.stage_keys ->> 'inference')`;

/** The members of a `LastScoring` of `assets a`, after `joinScoring`. */
export const lastScoring = sql`
  ${scoredKey} as "scoredKey", a.stage_keys ->> 'inference' as "inferenceKey", g.result_key as "resultKey"`;

/** The version of the last scoring with the result of `inferences i`, which hold for `assets a`, after `joinScoring`. */
export const scoredVersion = sql`coalesce(g.ensemble_version, i.ensemble_version)`;

export type Scoring = { assetId: AssetId; scoredKey: string; inferenceKey: string; resultKey: string };

/**
 * Forgets the last scoring of an asset, so that the next one stores its result and updates the candidates. Call it where
 * a decision opens or withdraws candidates that were answered, because scorings left them as they were.
 */
export const forgetScoring = (tx: Tx, assetId: string): Promise<unknown> =>
  tx.execute(sql`delete from asset_scorings where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);

/** Notes scorings as the last ones of their assets. The caller has locked the rows of the assets. */
export const storeScorings = (
  tx: Tx,
  scorings: readonly Scoring[],
  ensembleVersion: number,
  now: number,
): Promise<unknown> =>
  tx.execute(sql`
    insert into asset_scorings (tenant_id, asset_id, scored_key, inference_key, result_key, ensemble_version, scored_at)
    select ${tx.tenantId}, s.*, ${ensembleVersion}, ${new Date(now)}
      from unnest(${scorings.map(({ assetId }) => assetId)}::text[], ${scorings.map(({ scoredKey }) => scoredKey)}::text[],
                  ${scorings.map(({ inferenceKey }) => inferenceKey)}::text[],
                  ${scorings.map(({ resultKey }) => resultKey)}::text[]) as s
    on conflict (tenant_id, asset_id) do update
      set scored_key = excluded.scored_key, inference_key = excluded.inference_key, result_key = excluded.result_key,
          ensemble_version = excluded.ensemble_version, scored_at = excluded.scored_at`);
