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
const MARGIN = 30;
/** With more nodes than these, names would cover each other. */
const NAMED = 10;
/** Half of the room that a name takes. */
const HALF_NAME = 66;
const LEAST_WIDTH = 480;
/** Less than two seconds until the picture is frozen. */
const DECAY = 0.06;

/** Whether there is room for the name of each node. */
export const areNamed = (nodes: readonly unknown[], width: number): boolean =>
  nodes.length <= NAMED && width >= LEAST_WIDTH;

/** Forces over the connections. The asset itself is in the middle. It moves with each tick and stops by itself. */
export function layoutOf({ nodes, edges }: AssetConnections): Simulation<GraphNode, Link> {
  const placed: GraphNode[] = nodes.map((node) =>
    node.depth === 0 ? { ...node, fx: 0, fy: 0 } : { ...node },
  );
  const isWide = nodes.length <= NAMED;
  const links: Link[] = edges.map((edge) => ({ source: edge.from, target: edge.to, edge }));
  return forceSimulation(placed)
    .alphaDecay(DECAY)
    .force(
      'link',
      forceLink<GraphNode, Link>(links)
        .id(({ nodeId }) => nodeId)
        // What is more alike is nearer.
        .distance(({ edge }) => (isWide ? 110 : 56) + 40 * (1 - (edge.similarity ?? 0.5)))
        .strength(0.5),
    )
    .force('apart', forceManyBody().strength(-220))
    .force('room', forceCollide(isWide ? HALF_NAME : RADIUS * 2))
    .force('x', forceX(0).strength(0.05))
    .force('y', forceY(0).strength(0.12))
    .stop();
}

export type Point = { x: number; y: number };

/** The places of the nodes in a picture of this size. What is too wide or too high is pressed together. */
export function fitted(nodes: readonly GraphNode[], width: number, height: number): Map<string, Point> {
  const aside = areNamed(nodes, width) ? HALF_NAME : MARGIN;
  const x = pressed(
    nodes.map((node) => node.x ?? 0),
    width,
    aside,
  );
  const y = pressed(
    nodes.map((node) => node.y ?? 0),
    height,
    MARGIN,
  );
  return new Map(nodes.map((node) => [node.nodeId, { x: x(node.x ?? 0), y: y(node.y ?? 0) }]));
}

function pressed(values: readonly number[], size: number, margin: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const scale = Math.min(1, (size - 2 * margin) / Math.max(1, most - least));
  return (value) => size / 2 + (value - (least + most) / 2) * scale;
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
