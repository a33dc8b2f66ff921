import type { Visibility } from '../authz/principal.ts';
import { requireVisible } from '../authz/visible-asset.sql.ts';
import type { Tx } from '../db/tx.ts';
import { findNeighbours } from '../similarity/find-neighbours.sql.ts';
import { type Connection, connectedWith } from './connected.sql.ts';
import type { ConnectionGraph } from './connection-schema.ts';
import { type NamedAsset, namedAssets } from './named-assets.sql.ts';
import { LEAST_COSINE, MAX_NEIGHBORS } from './semantic-neighbors.sql.ts';

/** Limit of the specification. */
const MAX_NODES = 30;
/** Assets of the first level whose connections are read at once, until the limit of nodes is reached. */
const EXPANDED_AT_ONCE = 8;
const REDACTED_LABEL = 'Restricted asset';

/** A node of the search. Only `visible` nodes are named, and only from them the search continues. */
type Node = { assetId: string; depth: number; visible: boolean };

/**
 * The assets connected with an asset, and those connected with them, breadth first and by strength. An asset that the
 * reader may not see appears as a redacted node, and the search does not continue from it. Semantic neighbors are
 * found only for the asset itself, because they would cost as much again for each other node. Throws `not_found` if
 * the asset does not exist or the reader may not see it.
 */
export async function connectionsOf(
  tx: Tx,
  visibility: Visibility,
  assetId: string,
): Promise<ConnectionGraph> {
  await requireVisible(tx, visibility, assetId);
  const graph = new Graph(assetId);
  const neighbours = await findNeighbours(tx, assetId, {
    among: null,
    few: null,
    least: LEAST_COSINE,
    limit: MAX_NEIGHBORS,
  });
  const further = neighbours.map((each) => ({
    source: assetId,
    target: each.assetId,
    reason: 'semantic_neighbor' as const,
    similarity: Math.round(each.similarity * 1_000) / 1_000,
  }));
  graph.add(await connectedWith(tx, visibility, [assetId], further));
  const firstLevel = graph.nodes.filter(({ depth, visible }) => depth === 1 && visible);
  for (let at = 0; at < firstLevel.length && !graph.full; at += EXPANDED_AT_ONCE) {
    const sources = firstLevel.slice(at, at + EXPANDED_AT_ONCE).map((node) => node.assetId);
    graph.add(await connectedWith(tx, visibility, sources, []));
  }
  const seen = graph.nodes.filter(({ visible }) => visible).map((node) => node.assetId);
  return graph.shown(await namedAssets(tx, seen));
}

/** Nodes in the order in which they are found, and one edge for each pair. */
class Graph {
  readonly #nodes: Map<string, Node>;
  readonly #edges = new Map<string, Connection>();
  #truncated = false;

  constructor(root: string) {
    this.#nodes = new Map([[root, { assetId: root, depth: 0, visible: true }]]);
  }

  get nodes(): readonly Node[] {
    return [...this.#nodes.values()];
  }

  get full(): boolean {
    return this.#nodes.size >= MAX_NODES;
  }

  /** Adds connections of known nodes in this order. Adds the nodes at their other end until the limit is reached. */
  add(connections: readonly Connection[]): void {
    for (const connection of connections) {
      const { source, target, visible } = connection;
      const from = this.#nodes.get(source);
      if (from === undefined) continue;
      if (!this.#nodes.has(target)) {
        if (this.full) {
          this.#truncated = true;
          continue;
        }
        this.#nodes.set(target, { assetId: target, depth: from.depth + 1, visible });
      }
      const pair = source < target ? `${source} ${target}` : `${target} ${source}`;
      if (!this.#edges.has(pair)) this.#edges.set(pair, connection);
    }
  }

  /** The graph as the response shows it. @param named the nodes that the reader may see */
  shown(named: readonly NamedAsset[]): ConnectionGraph {
    const names = new Map(named.map((each) => [each.assetId, each]));
    const places = new Map([...this.#nodes.keys()].map((id, place) => [id, `node-${place}`]));
    return {
      nodes: this.nodes.map(({ assetId, depth }) => {
        const asset = names.get(assetId);
        return {
          nodeId: places.get(assetId) ?? '',
          depth,
          label: asset?.name ?? REDACTED_LABEL,
          redacted: asset === undefined,
          assetId: asset?.assetId ?? null,
          path: asset?.path ?? null,
          scopeId: asset?.scopeId ?? null,
          scopeName: asset?.scopeName ?? null,
        };
      }),
      edges: [...this.#edges.values()].map(({ source, target, reason, similarity }) => ({
        from: places.get(source) ?? '',
        to: places.get(target) ?? '',
        reason,
        similarity: names.has(target) ? similarity : null,
      })),
      truncated: this.#truncated,
    };
  }
}
