import { type Automaton, automatonOfNode, BEYOND_ASCII } from './automaton.ts';
import { type PatternNode, parsePattern } from './pattern-syntax.ts';

/** A pattern and its guards together may take as many characters as this. */
const MAX_POSITIONS = 10_000;
/** Steps from one start, about. */
const MAX_STEPS = 2_500;
/** Ways through a pattern that one text leaves open at once. */
const MAX_WAYS = 32;

/**
 * True when a backtracking matcher gives up soon wherever it starts: the pattern is not open-ended, and there are few
 * ways through it. Such a matcher tries each way that the text allows, so the ways are counted, in a text that keeps
 * the most of them open at each next character: `\d{1,50}\d{1,50}` has fifty times as many as `\d{1,100}`. What is
 * written in a syntax that is not known here is not safe.
 */
export function isSafePattern({ source, flags }: RegExp): boolean {
  const root = parsePattern(source);
  if (root === null) return false;
  const costs = [root, ...guardsIn(root)].map((node) => costOf(node, flags));
  const steps = costs.reduce((sum, cost) => sum + cost.steps, 0);
  return steps <= MAX_STEPS && costs.every(({ ways }) => ways <= MAX_WAYS);
}

/** `steps` are the ways summed over all lengths, `ways` the most at one length. */
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
  // What may match nothing still has the steps of what it may match.
  const padded: PatternNode = { kind: 'sequence', nodes: [node, { kind: 'set', source: '\\n' }] };
  const automaton = automatonOfNode(padded, flags, MAX_POSITIONS);
  if (automaton === null) return UNBOUNDED;
  return waysThrough(automaton, representatives(automaton));
}

/** One character of each kind that the automaton tells apart. */
function representatives({ takes }: Automaton): number[] {
  const sets = [...new Set(takes)];
  const known = new Map<string, number>();
  for (let code = 0; code <= BEYOND_ASCII; code++) {
    const key = sets.map((set) => set[code]).join('');
    if (!known.has(key)) known.set(key, code);
  }
  return [...known.values()];
}

/** Each next character is the choice that leaves most ways open. */
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
