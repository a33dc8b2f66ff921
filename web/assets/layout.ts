import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import type { AssetConnections } from '../../client/generated/service.schemas.ts';

export type GraphNode = AssetConnections['nodes'][number] & SimulationNodeDatum;
export type Edge = AssetConnections['edges'][number];
type Link = SimulationLinkDatum<GraphNode> & { edge: Edge };

export const RADIUS = 9;
/** Space around the outermost nodes, which their names need. */
const MARGIN = 22;
/** Less than two seconds until the picture is frozen. */
const DECAY = 0.06;

/** Forces over the connections. The asset itself is in the middle. It moves with each tick and stops by itself. */
export function layoutOf({ nodes, edges }: AssetConnections): Simulation<GraphNode, Link> {
  const placed: GraphNode[] = nodes.map((node) =>
    node.depth === 0 ? { ...node, fx: 0, fy: 0 } : { ...node },
  );
  const links: Link[] = edges.map((edge) => ({ source: edge.from, target: edge.to, edge }));
  return forceSimulation(placed)
    .alphaDecay(DECAY)
    .force(
      'link',
      forceLink<GraphNode, Link>(links)
        .id(({ nodeId }) => nodeId)
        // What is more alike is nearer.
        .distance(({ edge }) => 56 + 40 * (1 - (edge.similarity ?? 0.5)))
        .strength(0.5),
    )
    .force('apart', forceManyBody().strength(-220))
    .force('room', forceCollide(RADIUS * 2))
    .force('x', forceX(0).strength(0.05))
    .force('y', forceY(0).strength(0.12))
    .stop();
}

export type Point = { x: number; y: number };

/** The places of the nodes in a picture of this size. Large pictures are made smaller, small ones stay as they are. */
export function fitted(nodes: readonly GraphNode[], width: number, height: number): Map<string, Point> {
  const widest = Math.max(1, ...nodes.map(({ x = 0 }) => Math.abs(x)));
  const highest = Math.max(1, ...nodes.map(({ y = 0 }) => Math.abs(y)));
  const [byX, byY] = [(width / 2 - MARGIN) / widest, (height / 2 - MARGIN) / highest].map((each) =>
    Math.min(1.4, each),
  ) as [number, number];
  return new Map(
    nodes.map(({ nodeId, x = 0, y = 0 }) => [nodeId, { x: width / 2 + x * byX, y: height / 2 + y * byY }]),
  );
}

/** The nearest node in the direction of an arrow key, or undefined. */
export function towards(key: string, from: Point, others: ReadonlyMap<string, Point>): string | undefined {
  const [right, down] = ARROWS[key] ?? [0, 0];
  const [nearest] = [...others]
    .map(([id, { x, y }]) => {
      const [dx, dy] = [x - from.x, y - from.y];
      const along = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      return { id, along, far: along + 2 * aside };
    })
    .filter(({ along }) => along > 0.5)
    .sort((a, b) => a.far - b.far);
  return nearest?.id;
}

export const ARROWS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
