import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { hash32 } from '../kernel/hash.ts';
import { bitLiteral, signBits } from './sign-bits.ts';

/** A vector with one signed byte per dimension, and the model that produced it. */
export type ComparableVector = { provider: string; model: string; vector: Int8Array };

/** The number of a vector space, a hash of provider and model. Only vectors of one space are compared. */
export const spaceOf = ({ provider, model }: { provider: string; model: string }): number =>
  hash32(`${provider}\n${model}`) | 0;

/** Replaces the vector of an asset. Null or a zero vector removes it. */
export async function storeVector(tx: Tx, assetId: string, made: ComparableVector | null): Promise<void> {
  const { tenantId } = tx;
  if (made?.vector.some((value) => value !== 0) !== true) {
    await tx.execute(sql`delete from asset_vectors where tenant_id = ${tenantId} and asset_id = ${assetId}`);
    return;
  }
  const { buffer, byteOffset, byteLength } = made.vector;
  await tx.execute(sql`
    insert into asset_vectors as v (tenant_id, asset_id, space, vector, bits)
    values (${tenantId}, ${assetId}, ${spaceOf(made)}, ${Buffer.from(buffer, byteOffset, byteLength)},
            ${bitLiteral(signBits(made.vector))}::bit(512))
    on conflict (tenant_id, asset_id) do update
      set space = excluded.space, vector = excluded.vector, bits = excluded.bits
    where (v.space, v.vector) <> (excluded.space, excluded.vector)`);
}
