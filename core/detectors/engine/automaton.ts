import { type PatternNode, parsePattern } from './pattern-syntax.ts';

/** Characters of ASCII, and one that stands for all others. */
export const BEYOND_ASCII = 128;
/** Past it a pattern is too long to be followed position by position. */
const MAX_POSITIONS = 1_500;

/**
 * A pattern as positions, each of which takes one character, and the positions that may follow it (Glushkov, 1961).
 * It allows at least what the pattern matches: assertions other than the guards at its two ends are left out.
 */
export type Automaton = {
  /** By position: which characters it takes, by code, of 129. A position is followed by later ones only. */
  readonly takes: readonly Uint8Array[];
  readonly first: readonly number[];
  readonly follow: readonly (readonly number[])[];
  readonly last: ReadonlySet<number>;
  /** Characters, by code, that must not stand before and behind a match. */
  readonly notBefore: Uint8Array;
  readonly notAfter: Uint8Array;
};

type Fragment = { nullable: boolean; first: readonly number[]; last: readonly number[] };

const NOTHING: Fragment = { nullable: true, first: [], last: [] };

/** Null where the syntax is not known, the pattern is open-ended or very long, or it may match nothing at all. */
export function automatonOf({ source, flags }: RegExp): Automaton | null {
  const root = parsePattern(source);
  return root === null ? null : automatonOfNode(root, flags, MAX_POSITIONS);
}

/** As `automatonOf`, of a part of a pattern with its flags; past `mostPositions` the answer is null. */
export function automatonOfNode(root: PatternNode, flags: string, mostPositions: number): Automaton | null {
  if (!(positionsOf(root) <= mostPositions)) return null;
  const takes: Uint8Array[] = [];
  const follow: number[][] = [];
  const setOf = setReader(flags.replace(/[gy]/g, ''));

  const build = (node: PatternNode): Fragment => {
    switch (node.kind) {
      case 'set':
        takes.push(setOf(node.source));
        follow.push([]);
        return { nullable: false, first: [takes.length - 1], last: [takes.length - 1] };
      case 'look':
        return NOTHING;
      case 'sequence':
        return node.nodes.map(build).reduce(join, NOTHING);
      case 'choice': {
        const parts = node.nodes.map(build);
        return {
          nullable: parts.some(({ nullable }) => nullable),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
        };
      }
      default: {
        const copies = Array.from({ length: node.most }, () => build(node.node));
        const needed = copies.slice(0, node.least).reduce(join, NOTHING);
        const optional = (rest: Fragment, copy: Fragment) => ({ ...join(copy, rest), nullable: true });
        return join(needed, copies.slice(node.least).reduceRight(optional, NOTHING));
      }
    }
  };
  const join = (a: Fragment, b: Fragment): Fragment => {
    for (const position of a.last) follow[position]?.push(...b.first);
    return {
      nullable: a.nullable && b.nullable,
      first: a.nullable ? [...a.first, ...b.first] : a.first,
      last: b.nullable ? [...a.last, ...b.last] : b.last,
    };
  };

  const whole = build(root);
  if (whole.nullable) return null;
  const parts = root.kind === 'sequence' ? root.nodes : [root];
  return {
    takes,
    first: whole.first,
    follow,
    last: new Set(whole.last),
    notBefore: guard(parts, true, setOf),
    notAfter: guard(parts.toReversed(), false, setOf),
  };
}

/** The characters that the guards at one end of a pattern refuse next to it; at least one is let through too many. */
function guard(
  parts: readonly PatternNode[],
  behind: boolean,
  setOf: (source: string) => Uint8Array,
): Uint8Array {
  const refused = new Uint8Array(BEYOND_ASCII + 1);
  for (const part of parts) {
    if (part.kind !== 'look' || part.behind !== behind) break;
    const edge = edgeOf(part.node, behind, setOf);
    // What a guard of several characters refuses depends on more than the nearest one.
    if (part.negative && part.node.kind !== 'set') continue;
    for (let code = 0; code < BEYOND_ASCII; code++) {
      if (part.negative ? edge?.[code] === 1 : edge?.[code] === 0) refused[code] = 1;
    }
    if (!part.negative && edge?.[BEYOND_ASCII] === 0) refused[BEYOND_ASCII] = 1;
  }
  return refused;
}

/** The characters that may stand at one end of what a node matches; null where that may be nothing. */
function edgeOf(node: PatternNode, atEnd: boolean, setOf: (source: string) => Uint8Array): Uint8Array | null {
  switch (node.kind) {
    case 'set':
      return setOf(node.source);
    case 'look':
      return null;
    case 'repeat':
      return node.least === 0 ? null : edgeOf(node.node, atEnd, setOf);
    default: {
      const union = new Uint8Array(BEYOND_ASCII + 1);
      const nodes = atEnd ? node.nodes.toReversed() : node.nodes;
      for (const part of nodes) {
        const edge = edgeOf(part, atEnd, setOf);
        if (node.kind === 'choice' && edge === null) return null;
        const inside = edge ?? (part.kind === 'repeat' ? edgeOf(part.node, atEnd, setOf) : null);
        if (edge === null && inside === null && part.kind !== 'look') return null;
        inside?.forEach((isIn, code) => {
          if (isIn === 1) union[code] = 1;
        });
        if (node.kind === 'sequence' && edge !== null) return union;
      }
      return node.kind === 'choice' ? union : null;
    }
  }
}

function positionsOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'look':
      return 0;
    case 'repeat':
      return node.most * positionsOf(node.node);
    default:
      return node.nodes.reduce((sum, each) => sum + positionsOf(each), 0);
  }
}

/** By flags and source, since detectors use the same few sets. */
const SETS = new Map<string, Uint8Array>();

/** Asks the engine's own reading of a set about each character. What may lie beyond ASCII is taken to hold all of it. */
function setReader(flags: string): (source: string) => Uint8Array {
  return (source) => {
    const key = `${flags} ${source}`;
    const known = SETS.get(key);
    if (known !== undefined) return known;
    const regex = new RegExp(`^${source}$`, flags);
    const set = Uint8Array.from({ length: BEYOND_ASCII + 1 }, (_, code) =>
      Number(regex.test(String.fromCharCode(code))),
    );
    const isPlain = /^[\x20-\x5b\x5d-\x7e]{1,64}$|^\\[dw.\-+()[\]/$|?*^{}]$/.test(source);
    set[BEYOND_ASCII] = Number(source.startsWith('[^') || source === '.' || !isPlain || /iu|ui/.test(flags));
    SETS.set(key, set);
    return set;
  };
}

/**
 * How many characters may stand in a match before the first position that takes nothing but `trigger` characters, at
 * most; in a match without such a position, all of its characters may.
 */
export function longestLead({ takes, first, follow }: Automaton, trigger: RegExp): number {
  const isTrigger = takes.map((set) =>
    set.every((isIn, code) => isIn === 0 || (code < BEYOND_ASCII && trigger.test(String.fromCharCode(code)))),
  );
  const before = new Int32Array(takes.length).fill(-1);
  for (const position of first) before[position] = 0;
  let longest = 0;
  for (let position = 0; position < takes.length; position++) {
    const lead = before[position] ?? -1;
    if (lead === -1) continue;
    longest = Math.max(longest, lead);
    if (isTrigger[position] === true) continue;
    for (const next of follow[position] ?? []) before[next] = Math.max(before[next] ?? -1, lead + 1);
  }
  return longest;
}
