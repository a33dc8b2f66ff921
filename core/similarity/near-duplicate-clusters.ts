import { LEAST_SIMILARITY } from './comparable.ts';
import { estimatedJaccard, SHINGLE_BANDS } from './sketch.ts';

/** What an asset is compared by. */
export type Clustered = {
  assetId: string;
  /** In hex. Null if no bytes were read. */
  contentHash: string | null;
  /** The signature of its text, null for a short text or none. */
  shingles: Uint8Array | null;
  /** Keys of the bands, those of `shingles` first. */
  bands: readonly number[];
};

/**
 * The cluster of each asset: byte-identical copies and near-duplicates share one, and so do assets that a chain of them
 * connects. A cluster is named by its first asset, in the order of ids. The order of the assets makes no difference.
 */
export function nearDuplicateClusters(assets: readonly Clustered[]): Map<string, string> {
  const sorted = [...assets].sort((a, b) => (a.assetId < b.assetId ? -1 : 1));
  const parents = new Map(sorted.map(({ assetId }) => [assetId, assetId]));
  const rootOf = (assetId: string): string => {
    let root = assetId;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root))
      root = parent;
    parents.set(assetId, root);
    return root;
  };
  const join = (a: string, b: string) => {
    const [first, second] = [rootOf(a), rootOf(b)].sort();
    if (first !== undefined && second !== undefined) parents.set(second, first);
  };
  const sameBytes = Map.groupBy(sorted, ({ contentHash }) => contentHash);
  for (const [contentHash, [first, ...copies]] of sameBytes) {
    if (contentHash === null || first === undefined) continue;
    for (const copy of copies) join(first.assetId, copy.assetId);
  }
  for (const members of sharedBands(sorted)) {
    // Members that are in one cluster already are not compared with each other.
    let distinct: { assetId: string; members: WithText[] }[] = [];
    for (const [assetId, own] of Map.groupBy(members, (member) => rootOf(member.assetId))) {
      const alike = distinct.filter((other) => areNear(own, other.members));
      for (const other of alike) join(assetId, other.assetId);
      const joined = [...alike.flatMap((other) => other.members), ...own];
      distinct = [...distinct.filter((other) => !alike.includes(other)), { assetId, members: joined }];
    }
  }
  return new Map(sorted.map(({ assetId }) => [assetId, rootOf(assetId)]));
}

type WithText = { assetId: string; shingles: Uint8Array };

const areNear = (some: readonly WithText[], others: readonly WithText[]): boolean =>
  some.some((one) =>
    others.some((other) => estimatedJaccard(one.shingles, other.shingles) >= LEAST_SIMILARITY.near_duplicate),
  );

/** The assets with text that share a band, by band. */
function sharedBands(assets: readonly Clustered[]): WithText[][] {
  const members = new Map<number, WithText[]>();
  for (const { assetId, shingles, bands } of assets) {
    if (shingles === null) continue;
    for (const band of bands.slice(0, SHINGLE_BANDS)) {
      const sharing = members.get(band);
      if (sharing === undefined) members.set(band, [{ assetId, shingles }]);
      else sharing.push({ assetId, shingles });
    }
  }
  return [...members.values()].filter(({ length }) => length > 1);
}
