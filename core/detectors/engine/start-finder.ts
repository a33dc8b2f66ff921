import { type Automaton, BEYOND_ASCII } from './automaton.ts';

/** Past it new states are not kept: what is alive then is tried, which is what looking on would have spared. */
const MOST_STATES = 12_000;
const UNKNOWN = 0xffff;
const DEAD = 0;
/** Ends a text, and stands before its first character. */
const EDGE = 0;

type State = {
  /** Positions that may take the next character. */
  readonly next: readonly number[];
  /** Patterns that may end here. */
  readonly ending: readonly number[];
  /** By the class of the next character: patterns that end here if it stands behind; none where there are none. */
  readonly tries: (readonly number[])[];
};

const NONE: State = { next: [], ending: [], tries: [] };

/** A list of patterns as one reader: follows all of them at once and tells which may match at which place. */
export type StartFinder = {
  /**
   * Calls `attempt` for each pattern that may match at a place of [from, to), places ascending; a pattern may be told
   * of twice at one place. The last character looked at may lie beyond `to`. Returns the characters looked at.
   */
  readonly find: (
    codes: Uint16Array,
    from: number,
    to: number,
    attempt: (pattern: number, start: number) => void,
  ) => number;
};

/**
 * Joins automata into one deterministic automaton that is built as texts need it. The character before a match and its
 * first are told apart exactly, since most places of a text are passed over there. Of the others letters of one case count
 * as one character and so do digits, which keeps it small; so it tells of more places than matches, never of fewer.
 */
export function startFinder(automata: readonly Automaton[], mostStates = MOST_STATES): StartFinder {
  const layout = numbered(automata);
  const { classOf, classes, membersOf } = divide(automata, kindOf);
  const { classOf: exactOf, classes: exacts, membersOf: exactMembers } = divide(automata, () => null);
  const states = new States(automata, layout, membersOf, mostStates);

  /** By the character before a place and the one there: the state behind the first character of a match. */
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
    // Nobody else would try what starts here; there are fewer starts than numbers that a move can hold.
    const state = states.after(taken, Number.POSITIVE_INFINITY) ?? DEAD;
    starts[before * exacts + c] = state;
    return state;
  };

  return {
    find: (codes, from, to, attempt) => {
      let steps = to - from;
      // Larger ones take its place while it is learned.
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
  /** By state and class: the next state, doubled, and one more where there are patterns to try: small, to stay near. */
  moves: Uint16Array;
  readonly #layout: Layout;
  readonly #classes: number;
  readonly #most: number;
  /** By class and position: whether the position takes the characters of the class. */
  readonly #takes: readonly Uint8Array[];
  /** By class and pattern: whether every member of the class is refused behind a match. */
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

  /** The state in which these positions have just taken a character; null where it is new and there is no more room. */
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

  /** Works out the move of a state on a character of class `c`, and returns it. */
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

/** The positions of all automata in one row. `at` is the number there of a position of a pattern. */
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

/** What letters of one case have in common, and digits. */
const kindOf = (character: string): string | null =>
  /[0-9]/.test(character) ? '0' : /[A-Z]/.test(character) ? 'A' : /[a-z]/.test(character) ? 'a' : null;

/**
 * Divides the characters into classes: of one kind, or of none and told apart by no pattern. Class 0 is no character but
 * the edge of a text.
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
