import { type PatternNode, parsePattern } from './pattern-syntax.ts';

/** The number of ASCII characters, and the code that stands for every character beyond ASCII. */
export const BEYOND_ASCII = 128;
/** A longer pattern is not turned into an automaton. */
const MAX_POSITIONS = 1_500;

/**
 * A position automaton of a pattern (Glushkov, 1961). Each position takes one character.
 * The automaton accepts everything that the pattern matches and may accept more: it leaves out all assertions except
 * the guards at the two ends.
 */
export type Automaton = {
  /**
   * By position: the characters that it takes, as flags by code (129 codes). Only later positions follow a position.
   */
  readonly takes: readonly Uint8Array[];
  readonly first: readonly number[];
  readonly follow: readonly (readonly number[])[];
  readonly last: ReadonlySet<number>;
  /** Characters, by code, that must not stand directly before or after a match. */
  readonly notBefore: Uint8Array;
  readonly notAfter: Uint8Array;
};

type Fragment = { nullable: boolean; first: readonly number[]; last: readonly number[] };

const NOTHING: Fragment = { nullable: true, first: [], last: [] };

/**
 * Returns null if the syntax is not supported, the pattern is unbounded or too long, or it can match the empty text.
 */
export function automatonOf({ source, flags }: RegExp): Automaton | null {
  const root = parsePattern(source);
  return root === null ? null : automatonOfNode(root, flags, MAX_POSITIONS);
}

/** Like `automatonOf`, for a part of a pattern with its flags. Returns null beyond `mostPositions`. */
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

/** The characters that the guards at one end of a pattern refuse. It may refuse too few, never too many. */
function guard(
  parts: readonly PatternNode[],
  behind: boolean,
  setOf: (source: string) => Uint8Array,
): Uint8Array {
  const refused = new Uint8Array(BEYOND_ASCII + 1);
  for (const part of parts) {
    if (part.kind !== 'look' || part.behind !== behind) break;
    const edge = edgeOf(part.node, behind, setOf);
    // What a guard of several characters refuses does not depend on the nearest character alone.
    if (part.negative && part.node.kind !== 'set') continue;
    for (let code = 0; code < BEYOND_ASCII; code++) {
      if (part.negative ? edge?.[code] === 1 : edge?.[code] === 0) refused[code] = 1;
    }
    if (!part.negative && edge?.[BEYOND_ASCII] === 0) refused[BEYOND_ASCII] = 1;
  }
  return refused;
}

/** The characters that can be at one end of a match of a node. Null if the node can match nothing. */
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

/** Cached by flags and source, because detectors share a few sets. */
const SETS = new Map<string, Uint8Array>();

/**
 * Tests a set against each ASCII character with `RegExp`. A set that may contain a character beyond ASCII counts as
 * containing all of them.
 */
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
 * Returns the highest number of characters in a match before the first position that takes only `trigger` characters.
 * In a match without such a position, all characters count.
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
