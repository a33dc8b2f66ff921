import { type Automaton, BEYOND_ASCII } from './automaton.ts';

/** When there are this many states, new ones are not kept. The patterns that are still possible are then tried directly. */
const MAX_STATES = 12_000;
const UNKNOWN = 0xffff;
const DEAD = 0;
/** The class of the edge of a text: before its first and after its last character. */
const EDGE = 0;

type State = {
  /** Positions that can take the next character. */
  readonly next: readonly number[];
  /** Patterns that can end here. */
  readonly ending: readonly number[];
  /** By class of the next character: the patterns that end before it. Absent if there are none. */
  readonly tries: (readonly number[])[];
};

const NONE: State = { next: [], ending: [], tries: [] };

/** Follows a list of patterns together and reports which may match at which position. */
export type StartFinder = {
  /**
   * Calls `attempt` for each pattern that may match at a position in [from, to), by ascending position. It may report
   * a pattern twice at one position. It may read beyond `to`. Returns the number of characters read.
   */
  readonly find: (
    codes: Uint16Array,
    from: number,
    to: number,
    attempt: (pattern: number, start: number) => void,
  ) => number;
};

/**
 * Joins automata into one deterministic automaton, whose states are built when a text needs them.
 * The character before a match and its first character are distinguished exactly, because they rule out most
 * positions. After that, all letters of one case count as one character, and so do digits. This keeps the automaton
 * small: it reports more positions than there are matches, but never misses one.
 */
export function startFinder(automata: readonly Automaton[], mostStates = MAX_STATES): StartFinder {
  const layout = numbered(automata);
  const { classOf, classes, membersOf } = divide(automata, kindOf);
  const { classOf: exactOf, classes: exacts, membersOf: exactMembers } = divide(automata, () => null);
  const states = new States(automata, layout, membersOf, mostStates);

  /** By the character before a position and the one at it: the state after the first character of a match. */
  const starts = new Uint16Array(exacts * exacts).fill(UNKNOWN);
  const learnStart = (before: number, c: number): number => {
    const codeBefore = exactMembers[before]?.[0] ?? -1;
    const code = exactMembers[c]?.[0] ?? -1;
    const taken = automata.flatMap(({ first, takes, notBefore }, pattern) =>
      notBefore[codeBefore] === 1
        ? []
        : first
            .filter((position) => takes[position]?.[code] === 1)
            .map((position) => layout.at(pattern, position)),
    );
    // Start states are always kept, because nothing else would try these patterns. There are fewer than a move can
    // encode.
    const state = states.after(taken, Number.POSITIVE_INFINITY) ?? DEAD;
    starts[before * exacts + c] = state;
    return state;
  };

  return {
    find: (codes, from, to, attempt) => {
      let steps = to - from;
      // `states.moves` is replaced by a larger array when it grows.
      let table = states.moves;
      let before = from === 0 ? EDGE : (exactOf[codes[from - 1] ?? 0] ?? EDGE);
      for (let i = from; i < to; i++) {
        const c = exactOf[codes[i] ?? 0] ?? EDGE;
        let state = starts[before * exacts + c] ?? DEAD;
        if (state === UNKNOWN) {
          state = learnStart(before, c);
          table = states.moves;
        }
        before = c;
        if (state === DEAD) continue;
        let j = i + 1;
        for (; state !== DEAD; j++) {
          const ahead = j < codes.length ? (classOf[codes[j] ?? 0] ?? EDGE) : EDGE;
          let move = table[state * classes + ahead] ?? DEAD;
          if (move === UNKNOWN) {
            move = states.learn(state, ahead);
            table = states.moves;
          }
          if ((move & 1) !== 0) for (const pattern of states.tries(state, ahead)) attempt(pattern, i);
          state = move >> 1;
        }
        steps += j - i - 1;
      }
      return steps;
    },
  };
}

/** The states that texts have needed so far, and the moves between them. */
class States {
  /**
   * By state and class: twice the next state, plus 1 if there are patterns to try. Compact, so that it stays in the
   * cache.
   */
  moves: Uint16Array;
  readonly #layout: Layout;
  readonly #classes: number;
  readonly #most: number;
  /** By class and position: whether the position takes characters of the class. */
  readonly #takes: readonly Uint8Array[];
  /** By class and pattern: whether the pattern refuses every member of the class after a match. */
  readonly #refusedAfter: readonly (readonly boolean[])[];
  readonly #states: State[] = [NONE];
  readonly #numberOf = new Map<string, number>([['', DEAD]]);
  readonly #lists = new Map<string, readonly number[]>();

  constructor(
    automata: readonly Automaton[],
    layout: Layout,
    membersOf: readonly (readonly number[])[],
    most: number,
  ) {
    this.#layout = layout;
    this.#classes = membersOf.length;
    this.#most = most;
    this.#takes = membersOf.map((members) =>
      Uint8Array.from(layout.positions, ({ set }) => Number(members.some((code) => set[code] === 1))),
    );
    this.#refusedAfter = membersOf.map((members) =>
      automata.map(({ notAfter }) => members.length > 0 && members.every((code) => notAfter[code] === 1)),
    );
    this.moves = new Uint16Array(64 * membersOf.length).fill(UNKNOWN);
  }

  /** The state after these positions have taken a character. Null if it would be new and there is no room. */
  after(taken: readonly number[], most = this.#most): number | null {
    const { positions, follow, isLast } = this.#layout;
    const sorted = [...new Set(taken)].sort((a, b) => a - b);
    const key = sorted.join();
    const known = this.#numberOf.get(key);
    if (known !== undefined) return known;
    if (this.#states.length >= most) return null;
    const next = [...new Set(sorted.flatMap((position) => follow[position] ?? []))];
    const ending = [...new Set(sorted.filter((p) => isLast[p] === 1).map((p) => positions[p]?.pattern ?? 0))];
    const number = this.#states.push({ next, ending, tries: [] }) - 1;
    this.#numberOf.set(key, number);
    if (this.#states.length * this.#classes > this.moves.length) {
      const larger = new Uint16Array(this.moves.length * 2).fill(UNKNOWN);
      larger.set(this.moves);
      this.moves = larger;
    }
    return number;
  }

  /** Computes, stores and returns the move of a state for a character of class `c`. */
  learn(state: number, c: number): number {
    const { next, ending, tries } = this.#states[state] ?? NONE;
    const takes = this.#takes[c];
    const taken = c === EDGE ? [] : next.filter((position) => takes?.[position] === 1);
    const refused = this.#refusedAfter[c];
    let patterns = ending.filter((pattern) => refused?.[pattern] !== true);
    let to = this.after(taken);
    if (to === null) {
      const { positions } = this.#layout;
      patterns = [...new Set([...patterns, ...taken.map((p) => positions[p]?.pattern ?? 0)])];
      to = DEAD;
    }
    const move = 2 * to + (patterns.length > 0 ? 1 : 0);
    if (patterns.length > 0) tries[c] = this.#shared(patterns);
    this.moves[state * this.#classes + c] = move;
    return move;
  }

  /** The patterns to try where a move says that there are some. */
  tries(state: number, c: number): readonly number[] {
    return this.#states[state]?.tries[c] ?? [];
  }

  #shared(patterns: readonly number[]): readonly number[] {
    const key = patterns.join();
    const known = this.#lists.get(key) ?? patterns;
    this.#lists.set(key, known);
    return known;
  }
}

type Layout = ReturnType<typeof numbered>;

/** Numbers the positions of all automata consecutively. `at` returns the number of a position of a pattern. */
function numbered(automata: readonly Automaton[]) {
  const positions = automata.flatMap(({ takes }, pattern) => takes.map((set) => ({ set, pattern })));
  const offsets: number[] = [];
  let total = 0;
  for (const { takes } of automata) {
    offsets.push(total);
    total += takes.length;
  }
  const at = (pattern: number, position: number) => (offsets[pattern] ?? 0) + position;
  const follow = automata.flatMap(({ follow }, pattern) =>
    follow.map((list) => list.map((position) => at(pattern, position))),
  );
  const isLast = new Uint8Array(total);
  automata.forEach(({ last }, pattern) => {
    for (const position of last) isLast[at(pattern, position)] = 1;
  });
  return { positions, follow, isLast, at };
}

/** Digits are one kind, and so are the letters of each case. */
const kindOf = (character: string): string | null =>
  /[0-9]/.test(character) ? '0' : /[A-Z]/.test(character) ? 'A' : /[a-z]/.test(character) ? 'a' : null;

/**
 * Divides the characters into classes. Two characters share a class if they have the same kind, or if they have none
 * and no pattern distinguishes them. Class 0 is the edge of a text.
 */
function divide(
  automata: readonly Automaton[],
  kindOf: (character: string) => string | null,
): {
  classOf: Uint8Array;
  classes: number;
  membersOf: readonly (readonly number[])[];
} {
  const columns = [
    ...new Set(automata.flatMap(({ takes, notBefore, notAfter }) => [...takes, notBefore, notAfter])),
  ];
  const classOf = new Uint8Array(1 << 16);
  const membersOf: number[][] = [[]];
  const known = new Map<string, number>();
  for (let code = 0; code <= BEYOND_ASCII; code++) {
    const key = kindOf(String.fromCharCode(code)) ?? columns.map((column) => column[code]).join('');
    const number = known.get(key) ?? membersOf.push([]) - 1;
    known.set(key, number);
    classOf[code] = number;
    membersOf[number]?.push(code);
  }
  classOf.fill(classOf[BEYOND_ASCII] ?? EDGE, BEYOND_ASCII);
  return { classOf, classes: membersOf.length, membersOf };
}
