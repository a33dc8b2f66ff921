import { expect } from 'vitest';
import { withTx } from '../../core/db/tx.ts';
import { sketchesOf } from '../../core/similarity/sketches.ts';
import { storeComparable } from '../../core/similarity/store-comparable.sql.ts';
import { type Said, storeScanned } from './assets.ts';
import type { SignedIn } from './client.ts';
import type { TestDatabase } from './database.ts';
import { decided, invoices, reviewIn } from './review.ts';
import { DEV } from './seed.ts';

/** An asset with a label that an owner gave and a curator approved. */
export type Labelled = {
  assetId: string;
  decision?: 'mine' | 'not_a_match';
  said?: Said;
  /** In hex. */
  contentHash?: string;
  text?: string;
};

/** Stores assets, has the owner decide on each and the curator approve each label. Returns the ids of the labels. */
export async function label(
  database: TestDatabase,
  { owner, curator }: { owner: SignedIn; curator: SignedIn },
  assets: readonly Labelled[],
): Promise<string[]> {
  const review = reviewIn(database);
  const ids: string[] = [];
  for (const { assetId, decision = 'mine', said = invoices(), contentHash, text } of assets) {
    await storeScanned(database.db, DEV, [
      { assetId, said: [said], ...(contentHash !== undefined && { contentHash }) },
    ]);
    if (text !== undefined)
      await withTx(database.db, { tenantId: DEV, mode: 'write' }, (tx) =>
        storeComparable(tx, assetId, { sketches: sketchesOf(text), contains: [] }),
      );
    const candidateId = await review.candidateOf(assetId, said.domainId);
    await decided(owner, candidateId, { decision, trainingEligible: true });
    type List = { items: { assetId: string; datasetCandidateId: string }[] };
    const { body } = await curator.get<List>('/api/models/dataset-candidates?status=pending');
    const made = body.items.filter((item) => item.assetId === assetId);
    expect(made).toHaveLength(1);
    const id = made[0]?.datasetCandidateId ?? '';
    const path = `/api/models/dataset-candidates/${id}/decide`;
    expect((await curator.post(path, { decision: 'approved' })).status).toBe(200);
    ids.push(id);
  }
  return ids;
}
