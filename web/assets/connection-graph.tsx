import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AssetConnections } from '../../client/generated/service.schemas.ts';
import { LIKENESS_NAMES } from '../shell/labels.ts';
import {
  ARROWS,
  areNamed,
  type Edge,
  fitted,
  type GraphNode,
  layoutOf,
  type Point,
  RADIUS,
  towards,
} from './layout.ts';

const HEIGHT = 320;
const NAME_LENGTH = 22;

/** Files connected with a file, as a picture. The table beside it says the same in words. */
export function ConnectionGraph({ connections }: { connections: AssetConnections }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const nodes = useLayout(connections);
  const root = nodes[0];
  // Where the keyboard is, and what the mouse points at.
  const [current, setCurrent] = useState(root?.nodeId);
  const [hovered, setHovered] = useState<string>();
  const places = fitted(nodes, width, HEIGHT);
  const focusable = nodes.find(({ nodeId }) => nodeId === current) ?? root;
  const shown = nodes.find(({ nodeId }) => nodeId === hovered) ?? focusable;
  const move = (to: string | undefined) => {
    if (to === undefined) return;
    setCurrent(to);
    box.current?.querySelector<SVGElement>(`[data-node="${to}"]`)?.focus();
  };
  if (root === undefined || focusable === undefined || shown === undefined) return null;
  return (
    <figure className="graph" ref={box}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a picture */}
      <svg
        role="group"
        aria-label="Connected assets. Arrow keys go from one to the next."
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        onKeyDown={(event) => {
          const from = places.get(focusable.nodeId);
          if (!(event.key in ARROWS) || from === undefined) return;
          event.preventDefault();
          move(towards(event.key, from, places));
        }}
      >
        {connections.edges.map((edge) => (
          <EdgeLine key={`${edge.from} ${edge.to}`} edge={edge} places={places} />
        ))}
        {nodes.map((node) => (
          <Node
            key={node.nodeId}
            node={node}
            at={places.get(node.nodeId)}
            kind={kindOf(node, root)}
            label={spoken(node, connections.edges)}
            isCurrent={node.nodeId === focusable.nodeId}
            onFocus={() => setCurrent(node.nodeId)}
            onHover={(isOver) => setHovered(isOver ? node.nodeId : undefined)}
          />
        ))}
        {areNamed(nodes, width) && <Names nodes={nodes} places={places} />}
      </svg>
      <figcaption>
        <p className="graph-shown">
          <bdi className={shown.redacted ? 'redacted' : 'strong'}>{shown.label}</bdi>{' '}
          <span className="dim">{placeAndReason(shown, connections.edges)}</span>
        </p>
        <Legend nodes={nodes} root={root} edges={connections.edges} />
      </figcaption>
    </figure>
  );
}

type Kind = 'root' | 'here' | 'elsewhere' | 'redacted';

const kindOf = (node: GraphNode, root: GraphNode): Kind =>
  node.depth === 0
    ? 'root'
    : node.redacted
      ? 'redacted'
      : node.scopeId === root.scopeId
        ? 'here'
        : 'elsewhere';

/** The strongest connection through which a node was found. */
const edgeOf = ({ nodeId }: GraphNode, edges: readonly Edge[]): Edge | undefined =>
  edges.find(({ to }) => to === nodeId) ?? edges.find(({ from }) => from === nodeId);

function placeAndReason(node: GraphNode, edges: readonly Edge[]): string {
  if (node.depth === 0) return 'this one';
  const edge = edgeOf(node, edges);
  return [
    edge && LIKENESS_NAMES[edge.reason],
    edge?.similarity == null ? undefined : `${Math.round(edge.similarity * 100)} %`,
    node.depth > 1 ? 'by way of another' : undefined,
    node.redacted ? 'of another domain' : `${node.scopeName} / ${node.path}`,
  ]
    .filter((each) => each !== undefined)
    .join(' · ');
}

const spoken = (node: GraphNode, edges: readonly Edge[]): string =>
  `${node.label}: ${placeAndReason(node, edges)}`;

function EdgeLine({ edge, places }: { edge: Edge; places: ReadonlyMap<string, Point> }) {
  const [from, to] = [places.get(edge.from), places.get(edge.to)];
  if (from === undefined || to === undefined) return null;
  return (
    <line className="graph-edge" data-reason={edge.reason} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
  );
}

function Node({
  node: { nodeId, assetId },
  at,
  kind,
  label: said,
  isCurrent,
  onFocus,
  onHover,
}: {
  node: GraphNode;
  at: Point | undefined;
  kind: Kind;
  label: string;
  isCurrent: boolean;
  onFocus: () => void;
  onHover: (isOver: boolean) => void;
}) {
  if (at === undefined) return null;
  const common = {
    className: 'graph-node',
    'data-node': nodeId,
    'data-kind': kind,
    'aria-label': said,
    // One stop of Tab for the whole picture. Arrow keys go on from there.
    tabIndex: isCurrent ? 0 : -1,
    onFocus,
    onMouseEnter: () => onHover(true),
    onMouseLeave: () => onHover(false),
  };
  const mark: ReactNode = (
    <>
      <title>{said}</title>
      {/* Fingers need more room than the mark has. */}
      <circle cx={at.x} cy={at.y} r={16} fill="transparent" />
      <circle className="graph-mark" cx={at.x} cy={at.y} r={kind === 'root' ? RADIUS + 3 : RADIUS} />
    </>
  );
  return assetId === null || kind === 'root' ? (
    // biome-ignore lint/a11y/useSemanticElements: a link of HTML is no part of a picture
    <g role="link" aria-disabled="true" {...common}>
      {mark}
    </g>
  ) : (
    <Link to="/assets/$assetId" params={{ assetId }} preload={false} {...common}>
      {mark}
    </Link>
  );
}

/** Above the lines. The nodes have their names in whole. */
const Names = ({ nodes, places }: { nodes: readonly GraphNode[]; places: ReadonlyMap<string, Point> }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
  <g className="graph-names" aria-hidden="true">
    {nodes.map(({ nodeId, label, redacted }) => {
      const at = places.get(nodeId);
      return at === undefined || redacted ? null : (
        <text key={nodeId} x={at.x} y={at.y + RADIUS + 15} textAnchor="middle">
          {shortened(label)}
        </text>
      );
    })}
  </g>
);

/** Like files differ at the end. It is cut between characters as people see them, so that no emoji is torn. */
function shortened(name: string): string {
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return letters.length <= NAME_LENGTH
    ? name
    : `${letters.slice(0, NAME_LENGTH / 2).join('')}…${letters.slice(1 - NAME_LENGTH / 2).join('')}`;
}

const KINDS: Readonly<Record<Kind, string>> = {
  root: 'this one',
  here: 'in the same place',
  elsewhere: 'in another place',
  redacted: 'of another domain',
};

function Legend({
  nodes,
  root,
  edges,
}: {
  nodes: readonly GraphNode[];
  root: GraphNode;
  edges: readonly Edge[];
}) {
  const kinds = new Set(nodes.map((node) => kindOf(node, root)));
  const reasons = new Set(edges.map(({ reason }) => reason));
  return (
    <ul className="row dim graph-legend" aria-hidden="true">
      {[...kinds].map((kind) => (
        <li key={kind} className="row">
          <svg width="14" height="14" viewBox="0 0 14 14" data-kind={kind} aria-hidden="true">
            <circle className="graph-mark" cx="7" cy="7" r="5.5" />
          </svg>
          {KINDS[kind]}
        </li>
      ))}
      {[...reasons].map((reason) => (
        <li key={reason} className="row">
          <svg width="22" height="8" viewBox="0 0 22 8" aria-hidden="true">
            <line className="graph-edge" data-reason={reason} x1="0" y1="4" x2="22" y2="4" />
          </svg>
          {LIKENESS_NAMES[reason]}
        </li>
      ))}
    </ul>
  );
}

/** The nodes with their places. They move until they are settled, and at once for who wants no motion. */
function useLayout(connections: AssetConnections): readonly GraphNode[] {
  const [nodes, setNodes] = useState<readonly GraphNode[]>(() => {
    const first = layoutOf(connections);
    return first.tick(isStill() ? TICKS : 1).nodes();
  });
  useEffect(() => {
    const simulation = layoutOf(connections);
    if (isStill()) {
      setNodes(simulation.tick(TICKS).nodes());
      return;
    }
    simulation.on('tick', () => setNodes(simulation.nodes().map((node) => ({ ...node })))).restart();
    return () => void simulation.stop();
  }, [connections]);
  return nodes;
}

/** More than the forces need to settle. */
const TICKS = 200;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(200, Math.floor(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
