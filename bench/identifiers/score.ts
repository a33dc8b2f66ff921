/** Counts for one kind of value: found and expected, found and not expected, expected and not found. */
export type Tally = { hit: number; falseHit: number; miss: number };

export type Score = { precision: number; recall: number; f1: number };

export type TypedSpan = { type: string; start: number; end: number };

/** The outcome for one span. `index` is its index in the original list. */
export type Outcome = { kind: 'hit' | 'falseHit' | 'miss'; span: TypedSpan };

const emptyTally = (): Tally => ({ hit: 0, falseHit: 0, miss: 0 });

const add = (sum: Tally, each: Tally): Tally => ({
  hit: sum.hit + each.hit,
  falseHit: sum.falseHit + each.falseHit,
  miss: sum.miss + each.miss,
});

/** Rates from 0 to 1 with three decimals. 0 if nothing was expected or found. */
function scoreOf({ hit, falseHit, miss }: Tally): Score {
  const share = (of: number) => (of === 0 ? 0 : Math.round((hit / of) * 1000) / 1000);
  return {
    precision: share(hit + falseHit),
    recall: share(hit + miss),
    f1: share(hit + (falseHit + miss) / 2),
  };
}

/** Pairs found spans with expected ones: of the same type, overlapping by at least half of the longer one. */
export function matchSpans(found: readonly TypedSpan[], meant: readonly TypedSpan[]): Outcome[] {
  const left = new Set(found);
  const outcomes: Outcome[] = meant.map((span) => {
    const match = [...left].find((other) => other.type === span.type && agree(span, other));
    if (match === undefined) return { kind: 'miss', span };
    left.delete(match);
    return { kind: 'hit', span };
  });
  return [...outcomes, ...[...left].map((span) => ({ kind: 'falseHit' as const, span }))];
}

function agree(a: TypedSpan, b: TypedSpan): boolean {
  const overlap = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return overlap > 0 && 2 * overlap >= Math.max(a.end - a.start, b.end - b.start);
}

/** Tallies by type, in the given order. */
export class Tallies {
  readonly #byType: Map<string, Tally>;

  constructor(types: Iterable<string>) {
    this.#byType = new Map([...types].map((type) => [type, emptyTally()]));
  }

  count(outcomes: readonly Outcome[]): void {
    for (const { kind, span } of outcomes) {
      const tally = this.#byType.get(span.type);
      if (tally !== undefined) tally[kind] += 1;
    }
  }

  byType(): Record<string, Score & Tally> {
    return Object.fromEntries(
      [...this.#byType].map(([type, tally]) => [type, { ...scoreOf(tally), ...tally }]),
    );
  }

  overall(types: readonly string[] = [...this.#byType.keys()]): Score {
    return scoreOf(types.map((type) => this.#byType.get(type) ?? emptyTally()).reduce(add, emptyTally()));
  }
}
