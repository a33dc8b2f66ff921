import { createHash } from 'node:crypto';

export type Side = 'training' | 'held_out';

/** A label to split. Labels of one cluster stay on one side. Labels of one stratum are spread over both. */
export type Splittable = { id: string; cluster: string; stratum: string };

type Cluster = { key: string; stratum: string; size: number };

/**
 * Splits labels into a training side and a held-out side. The number of held-out labels is as near to `fraction` of all
 * as whole clusters allow, the smaller of two that are equally near. Neither side is empty. The same labels and the same
 * seed give the same sides. The order of the labels makes no difference.
 * @returns the side of each id; null if all labels are in one cluster, or there is none
 */
export function splitByCluster(
  labels: readonly Splittable[],
  fraction: number,
  seed: string,
): Map<string, Side> | null {
  const clusters = inSeededOrder(clustersOf(labels), seed);
  if (clusters.length < 2) return null;
  const sums = reachableSums(clusters);
  const held = new Set<string>();
  let left = nearestSum(sums[0] ?? 1n, labels.length, fraction * labels.length);
  for (const [at, { key, size }] of clusters.entries()) {
    // Taken, if the clusters after it can make up exactly what is then left.
    if (size > left || !includes(sums[at + 1] ?? 1n, left - size)) continue;
    held.add(key);
    left -= size;
  }
  return new Map(labels.map(({ id, cluster }) => [id, held.has(cluster) ? 'held_out' : 'training']));
}

/** The clusters, each with the stratum of its first label. */
const clustersOf = (labels: readonly Splittable[]): Cluster[] =>
  [...Map.groupBy(labels, ({ cluster }) => cluster)].map(([key, members]) => ({
    key,
    stratum: members.reduce((first, each) => (each.id < first.id ? each : first)).stratum,
    size: members.length,
  }));

/** In an order that the seed decides, and in which every stratum is spread evenly. */
function inSeededOrder(clusters: readonly Cluster[], seed: string): Cluster[] {
  const drawn = (text: string) => createHash('sha256').update(`${seed}\n${text}`).digest('hex');
  return [...Map.groupBy(clusters, ({ stratum }) => stratum).values()]
    .flatMap((members) =>
      members
        .map((cluster) => ({ cluster, hash: drawn(cluster.key) }))
        .sort((a, b) => (a.hash < b.hash ? -1 : 1))
        .map((each, at) => ({ ...each, place: (at + 0.5) / members.length })),
    )
    .sort((a, b) => a.place - b.place || (a.hash < b.hash ? -1 : 1))
    .map(({ cluster }) => cluster);
}

/** For each position, the sums of sizes that the clusters from there on can make up: bit `n` stands for the sum `n`. */
function reachableSums(clusters: readonly Cluster[]): bigint[] {
  const sums = [1n];
  for (const { size } of clusters.toReversed()) {
    const after = sums[0] ?? 1n;
    sums.unshift(after | (after << BigInt(size)));
  }
  return sums;
}

const includes = (sums: bigint, sum: number): boolean => ((sums >> BigInt(sum)) & 1n) === 1n;

function nearestSum(sums: bigint, total: number, wanted: number): number {
  const possible = Array.from({ length: total - 1 }, (_, n) => n + 1).filter((sum) => includes(sums, sum));
  return possible.reduce((nearest, sum) =>
    Math.abs(sum - wanted) < Math.abs(nearest - wanted) ? sum : nearest,
  );
}
