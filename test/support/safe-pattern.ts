import { type Automaton, automatonOfNode, BEYOND_ASCII } from '../../core/detectors/engine/automaton.ts';
import { type PatternNode, parsePattern } from '../../core/detectors/engine/pattern-syntax.ts';

/** Most characters that a pattern and its guards may take together. */
const MAX_POSITIONS = 10_000;
/** Most steps from one start, approximately. */
const MAX_STEPS = 2_500;
/** Most paths through a pattern that can be open at the same time. */
const MAX_WAYS = 32;

/**
 * Whether a backtracking matcher stops soon wherever it starts. The pattern must be bounded and have few paths,
 * because such a matcher tries every path that the text allows.
 * The paths are counted in an unfavourable text: each next character is the one that keeps most paths open.
 * `\d{1,50}\d{1,50}` has fifty times as many paths as `\d{1,100}`. A pattern in an unsupported syntax is not safe.
 * This takes too long to be done whenever the detectors are loaded.
 */
export function isSafePattern({ source, flags }: RegExp): boolean {
  const root = parsePattern(source);
  if (root === null) return false;
  const costs = [root, ...guardsIn(root)].map((node) => costOf(node, flags));
  const steps = costs.reduce((sum, cost) => sum + cost.steps, 0);
  return steps <= MAX_STEPS && costs.every(({ ways }) => ways <= MAX_WAYS);
}

/** `steps` is the number of paths summed over all lengths, `ways` the highest number at one length. */
type Cost = { steps: number; ways: number };

const UNBOUNDED: Cost = { steps: Number.POSITIVE_INFINITY, ways: Number.POSITIVE_INFINITY };

function guardsIn(node: PatternNode): PatternNode[] {
  switch (node.kind) {
    case 'set':
      return [];
    case 'look':
      return [node.node, ...guardsIn(node.node)];
    case 'repeat':
      return guardsIn(node.node);
    default:
      return node.nodes.flatMap(guardsIn);
  }
}

function costOf(node: PatternNode, flags: string): Cost {
  // Without the padding, a pattern that can match nothing would have no automaton and no cost.
  const padded: PatternNode = { kind: 'sequence', nodes: [node, { kind: 'set', source: '\\n' }] };
  const automaton = automatonOfNode(padded, flags, MAX_POSITIONS);
  if (automaton === null) return UNBOUNDED;
  return waysThrough(automaton, representatives(automaton));
}

/** One character of each class that the automaton distinguishes. */
function representatives({ takes }: Automaton): number[] {
  const sets = [...new Set(takes)];
  const known = new Map<string, number>();
  for (let code = 0; code <= BEYOND_ASCII; code++) {
    const key = sets.map((set) => set[code]).join('');
    if (!known.has(key)) known.set(key, code);
  }
  return [...known.values()];
}

/** Chooses each next character so that most paths stay open. */
function waysThrough({ takes, first, follow }: Automaton, choices: readonly number[]): Cost {
  const cost = { steps: 0, ways: 0 };
  let next = new Map(first.map((position) => [position, 1]));
  while (next.size > 0 && cost.steps <= MAX_STEPS) {
    let best = 0;
    let open = new Map<number, number>();
    for (const choice of choices) {
      const taken = new Map([...next].filter(([position]) => takes[position]?.[choice] === 1));
      const total = [...taken.values()].reduce((all, each) => all + each, 0);
      if (total <= best) continue;
      best = total;
      open = taken;
    }
    cost.steps += best;
    cost.ways = Math.max(cost.ways, best);
    next = new Map();
    for (const [position, ways] of open) {
      for (const following of follow[position] ?? []) next.set(following, (next.get(following) ?? 0) + ways);
    }
  }
  return cost;
}
