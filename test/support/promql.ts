import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** What one scrape of one process brought. Null where nobody answered. */
export type Scrape = { at: number; target: Labels; samples: readonly Sample[] | null };
type Labels = Readonly<Record<string, string>>;
type Sample = { name: string; labels: Labels; value: number };
type Element = { labels: Labels; value: number };
type Vector = readonly Element[];
type Value = number | Vector;

/** How long a sample stands for its series when no newer scrape says otherwise. */
const LOOKBACK_S = 300;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

const parsed = new Map<string, SyntaxNode>();

/** Parses PromQL. Throws if it is none. */
export function parsePromql(query: string): SyntaxNode {
  const known = parsed.get(query);
  if (known !== undefined) return known;
  const tree = parser.parse(query);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${query}`);
    },
  });
  const node = tree.topNode.firstChild;
  if (node === null) throw new Error(`Empty: ${query}`);
  parsed.set(query, node);
  return node;
}

/**
 * Evaluates the part of PromQL that the alerts use, as Prometheus 3 does, at a time in seconds. Throws at everything
 * else. A series that the newest scrape of its process lacks has ended.
 */
export function evaluate(query: string, scrapes: readonly Scrape[], at: number): Vector {
  const value = new Evaluation(query, scrapes).value(parsePromql(query), at);
  if (typeof value === 'number') throw new Error(`An alert needs a vector: ${query}`);
  return value;
}

class Evaluation {
  readonly #query: string;
  readonly #scrapes: readonly Scrape[];

  constructor(query: string, scrapes: readonly Scrape[]) {
    this.#query = query;
    this.#scrapes = scrapes;
  }

  value(node: SyntaxNode, at: number): Value {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return Number(this.#text(node));
      case 'ParenExpr':
        return this.value(childrenOf(node)[0] ?? this.#refuse(node), at);
      case 'VectorSelector':
        return this.#instant(node, at);
      case 'OffsetExpr': {
        const [of, , by] = childrenOf(node);
        if (of === undefined || by === undefined) return this.#refuse(node);
        return this.value(of, at - this.#seconds(by));
      }
      case 'FunctionCall':
        return this.#call(node, at);
      case 'AggregateExpr':
        return this.#aggregate(node, at);
      case 'BinaryExpr':
        return this.#binary(node, at);
      default:
        return this.#refuse(node);
    }
  }

  #instant(selector: SyntaxNode, at: number): Vector {
    const wanted = this.#wanted(selector);
    const newest = new Map<string, Scrape>();
    for (const scrape of this.#scrapes) {
      if (scrape.at > at || scrape.at <= at - LOOKBACK_S) continue;
      const key = keyOf(scrape.target);
      if (scrape.at > (newest.get(key)?.at ?? 0)) newest.set(key, scrape);
    }
    return [...newest.values()].flatMap((scrape) => elementsOf(scrape, wanted));
  }

  /** The samples of each series within a range, oldest first. */
  #range(node: SyntaxNode, at: number): { labels: Labels; points: { at: number; value: number }[] }[] {
    const [selector, duration] = childrenOf(node);
    if (node.name !== 'MatrixSelector' || selector === undefined || duration === undefined)
      return this.#refuse(node);
    const wanted = this.#wanted(selector);
    const series = new Map<string, { labels: Labels; points: { at: number; value: number }[] }>();
    for (const scrape of this.#scrapes) {
      if (scrape.at > at || scrape.at <= at - this.#seconds(duration)) continue;
      for (const { labels, value } of elementsOf(scrape, wanted)) {
        const { __name__: _, ...rest } = labels;
        const one = series.get(keyOf(labels)) ?? { labels: rest, points: [] };
        one.points.push({ at: scrape.at, value });
        series.set(keyOf(labels), one);
      }
    }
    return [...series.values()];
  }

  #call(node: SyntaxNode, at: number): Vector {
    const [called, body] = childrenOf(node);
    const [argument, ...others] = body === undefined ? [] : childrenOf(body);
    if (called === undefined || argument === undefined || others.length > 0) return this.#refuse(node);
    switch (this.#text(called)) {
      case 'absent':
        return this.#instant(argument, at).length > 0 ? [] : [{ labels: {}, value: 1 }];
      case 'increase': {
        const seconds = this.#seconds(childrenOf(argument)[1] ?? this.#refuse(argument));
        return this.#range(argument, at).flatMap(({ labels, points }) => {
          const value = increaseOf(points, at - seconds, at);
          return value === null ? [] : [{ labels, value }];
        });
      }
      case 'changes':
        return this.#range(argument, at).map(({ labels, points }) => ({
          labels,
          value: points.filter(({ value }, n) => n > 0 && value !== points[n - 1]?.value).length,
        }));
      default:
        return this.#refuse(node);
    }
  }

  #aggregate(node: SyntaxNode, at: number): Vector {
    const [operator, by, body] = childrenOf(node);
    const argument = body === undefined ? null : childrenOf(body)[0];
    if (!operator || !argument || by?.firstChild?.name !== 'By') return this.#refuse(node);
    const names =
      by
        .getChild('GroupingLabels')
        ?.getChildren('LabelName')
        .map((each) => this.#text(each)) ?? [];
    const reduce = { max: Math.max, sum: (a: number, b: number) => a + b }[this.#text(operator)];
    const of = this.value(argument, at);
    if (reduce === undefined || typeof of === 'number') return this.#refuse(node);
    const groups = new Map<string, Element>();
    for (const { labels, value } of of) {
      const kept = Object.fromEntries(
        names.flatMap((name) => (name in labels ? [[name, labels[name] ?? '']] : [])),
      );
      const group = groups.get(keyOf(kept));
      groups.set(keyOf(kept), {
        labels: kept,
        value: group === undefined ? value : reduce(group.value, value),
      });
    }
    return [...groups.values()];
  }

  #binary(node: SyntaxNode, at: number): Value {
    const [left, operator, right, ...others] = childrenOf(node);
    if (!left || !operator || !right || others.length > 0) return this.#refuse(node);
    const [a, b] = [this.value(left, at), this.value(right, at)];
    const word = this.#text(operator);
    if (typeof a === 'number') return this.#refuse(node);
    if (word === 'and' || word === 'unless') {
      if (typeof b === 'number') return this.#refuse(node);
      const there = new Set(b.map(({ labels }) => matchKey(labels)));
      return a.filter(({ labels }) => there.has(matchKey(labels)) === (word === 'and'));
    }
    const compare = COMPARISONS[word];
    const compute = ARITHMETIC[word];
    if (compare === undefined && compute === undefined) return this.#refuse(node);
    return a.flatMap((element) => {
      const other = typeof b === 'number' ? b : this.#partner(b, element);
      if (other === undefined) return [];
      if (compute === undefined) return compare?.(element.value, other) === true ? [element] : [];
      const { __name__: _, ...labels } = element.labels;
      return [{ labels, value: compute(element.value, other) }];
    });
  }

  #partner(vector: Vector, { labels }: Element): number | undefined {
    const partners = vector.filter((each) => matchKey(each.labels) === matchKey(labels));
    if (partners.length > 1) throw new Error(`Several partners of one element: ${this.#query}`);
    return partners[0]?.value;
  }

  /** The name and the labels that a selector asks for. */
  #wanted(selector: SyntaxNode): Labels {
    const name = selector.getChild('Identifier');
    if (selector.name !== 'VectorSelector' || name === null) return this.#refuse(selector);
    const wanted = { __name__: this.#text(name) } as Record<string, string>;
    for (const matcher of selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []) {
      const [label, operator, literal] = childrenOf(matcher).map((each) => this.#text(each));
      if (label === undefined || operator !== '=' || literal === undefined) return this.#refuse(matcher);
      wanted[label] = JSON.parse(literal) as string;
    }
    return wanted;
  }

  #seconds(node: SyntaxNode): number {
    const [, count, unit = ''] = /^([0-9]+)([smhd])$/.exec(this.#text(node)) ?? [];
    return count === undefined ? this.#refuse(node) : Number(count) * (UNITS[unit] ?? 0);
  }

  #text(node: SyntaxNode): string {
    return this.#query.slice(node.from, node.to);
  }

  #refuse(node: SyntaxNode): never {
    throw new Error(`These tests do not evaluate ${node.name} in ${this.#query}`);
  }
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '==': (a, b) => a === b,
};
const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '/': (a, b) => a / b,
};

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
};

/** By name. A scrape is read at each evaluation of each rule. */
const read = new WeakMap<Scrape, Map<string, Element[]>>();

function elementsOf(scrape: Scrape, wanted: Labels): Element[] {
  const elements = read.get(scrape) ?? byName(scrape);
  read.set(scrape, elements);
  return (elements.get(wanted.__name__ ?? '') ?? []).filter(({ labels }) =>
    Object.entries(wanted).every(([label, value]) => labels[label] === value),
  );
}

const byName = ({ samples, target }: Scrape): Map<string, Element[]> =>
  Map.groupBy(
    (samples ?? []).map(({ name, labels, value }) => ({
      labels: { ...labels, ...target, __name__: name },
      value,
    })),
    ({ labels }) => labels.__name__,
  );

const keys = new WeakMap<Labels, string>();

function keyOf(labels: Labels): string {
  const key = keys.get(labels) ?? JSON.stringify(Object.entries(labels).sort());
  keys.set(labels, key);
  return key;
}
/** The name does not count when two vectors are matched. */
const matchKey = ({ __name__: _, ...labels }: Labels): string => keyOf(labels);

/**
 * Prometheus' `increase`: the growth between the first and the last sample, restarts counted, extended towards the
 * ends of the range. Null for fewer than two samples.
 */
function increaseOf(
  points: readonly { at: number; value: number }[],
  from: number,
  to: number,
): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return null;
  let grown = last.value - first.value;
  points.forEach(({ value }, n) => {
    const before = points[n - 1]?.value ?? 0;
    if (n > 0 && value < before) grown += before;
  });
  const sampled = last.at - first.at;
  const between = sampled / (points.length - 1);
  const nearest = (gap: number) => (gap >= between * 1.1 ? between / 2 : gap);
  // A counter is not extended to a time at which it would have been below zero.
  const toZero = grown > 0 ? sampled * (first.value / grown) : Number.POSITIVE_INFINITY;
  const before = Math.min(nearest(first.at - from), toZero);
  return (grown * (sampled + before + nearest(to - last.at))) / sampled;
}
