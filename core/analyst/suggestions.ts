import { contentTerms } from '../ai/terms.ts';
import { words } from '../kernel/words.ts';
import { TIME } from './fragment.ts';
import type { Item } from './tagger.ts';
import { type Read, type Reading, readQuestion } from './understand.ts';
import { type NameKind, namesOf, type Vocabulary } from './vocabulary.ts';

const MOST = 4;
/** Questions that are read to find these. */
const MOST_TRIED = 16;
/** A word that more names than this share identifies none of them. */
const MOST_NAMES = 6;
/** What a word may be the name of. A list of identifiers without `or` is of all of them. */
const NAMED: readonly (readonly [kind: NameKind, between: string])[] = [
  ['type', ', '],
  ['identifier', ' or '],
  ['label', ', '],
  ['domain', ', '],
];
/** Words that only join others to what is before them. */
const CONNECTORS = 'iofrwtbauk&';
/**
 * Negations, alternatives, numbers and comparisons. Without one of them, or without what is beside it, the question is
 * another: `never reviewed in Finance`, `two hundred MB`.
 */
const BINDING = 'nxX!~/#U%MY09';
/** General words. Alone they identify no name. */
const SORTS = new Set(
  contentTerms(words('number name address code identifier data information document file record')),
);

type Span = { from: number; to: number };
/** A part of a question that is not understood, and what may be in its place, the likeliest first. */
type Gap = Span & { instead: readonly string[]; joinedFrom?: number };

/**
 * Questions that can be asked instead: the question itself with names, quoted words or nothing in the place of what is
 * not understood. Each is one that the grammar understands as a whole, and asks for some of the rows.
 */
export function suggestionsFor({ reading }: Read, vocabulary: Vocabulary, now: number): string[] {
  const found: string[] = [];
  let tried = 0;
  for (const each of new Set(editsOf(reading, vocabulary))) {
    if (found.length === MOST || tried++ === MOST_TRIED) break;
    const { state, plan } = readQuestion(each, vocabulary, now).reading;
    if (state === 'whole' && plan.where.length + plan.groupBy.length > 0) found.push(each);
  }
  return found;
}

function* editsOf(reading: Reading, vocabulary: Vocabulary): Generator<string> {
  const namesFor = namesIn(vocabulary);
  const unknown = unknownIn(reading).map(({ from, to }): Gap => {
    const written = writtenAt(reading, { from, to });
    const names = namesFor(written);
    const nothing = isBound(reading, { from, to }) ? [] : [''];
    const before = reading.items.find((item) => item.to === from && CONNECTORS.includes(item.tag));
    return {
      from,
      to,
      instead: names.length === 0 ? [...nothing, `“${written}”`] : [...names, `“${written}”`, ...nothing],
      ...(before && { joinedFrom: before.from }),
    };
  });
  const known = leftIn(reading).filter(({ tag }) => tag !== '_');
  const quoted = known.flatMap((item) => quotedAfter(reading, item) ?? []);
  const dropped = known
    .filter((item) => !isBound(reading, item))
    .map(({ tag, from, to }): Gap => {
      // A time of what is not said is offered as that of the rows: `modified last week`.
      const timed = `${TIME[reading.plan.subject]} ${writtenAt(reading, { from, to })}`;
      return { from, to, instead: tag === 'W' ? [timed, ''] : [''] };
    });
  for (const others of [...(quoted.length > 0 ? [quoted] : []), [], dropped]) {
    const isIn = (gap: Gap) => others.some(({ from, to }) => gap.from >= from && gap.to <= to);
    const gaps = [...unknown.filter((gap) => !isIn(gap)), ...others];
    const most = Math.max(0, ...gaps.map(({ instead }) => instead.length));
    for (let nth = 0; nth < most; nth++) yield edited(reading, gaps, nth);
  }
}

/** Whether a part is binding, or beside what is. */
function isBound({ items }: Reading, { from, to }: Span): boolean {
  const others = items.filter(({ tag }) => !CONNECTORS.includes(tag));
  const before = others.findLast((item) => item.to <= from);
  const after = others.find((item) => item.from >= to);
  const within = others.filter((item) => item.from < to && item.to > from);
  return [before, ...within, after].some((item) => item !== undefined && BINDING.includes(item.tag));
}

/** Unknown words beside each other as one part: `social security numbers`, `bulletins de paie`. */
function unknownIn(reading: Reading): Span[] {
  const { items } = reading;
  const runs: Span[] = [];
  for (const { from, to } of leftIn(reading).filter(({ tag }) => tag === '_')) {
    const last = runs.at(-1);
    const isBeside =
      last !== undefined && items.every((item) => item.from < last.to || item.to > from || item.tag === 'o');
    if (isBeside) last.to = to;
    else runs.push({ from, to });
  }
  return runs;
}

/** What follows `named` or `in the folder`, in quotes. */
function quotedAfter(reading: Reading, { tag, from, to }: Item): Gap | undefined {
  const next = tag === 'm' ? reading.items.find((item) => item.from >= to) : undefined;
  return (
    next && {
      from,
      to: next.to,
      instead: [`${writtenAt(reading, { from, to })} “${writtenAt(reading, next)}”`],
    }
  );
}

/** The names that share the most words with what is written, in any language: all of a kind, and each. */
function namesIn(vocabulary: Vocabulary): (written: string) => string[] {
  const names = namesOf(vocabulary);
  const known = NAMED.map(([kind, between]) => ({
    between,
    names: names[kind].map(({ name }) => ({
      name,
      terms: contentTerms(words(name)).filter((term) => !SORTS.has(term)),
    })),
  }));
  return (written) => {
    const wanted = new Set(contentTerms(words(written)));
    return known
      .map(({ between, names: all }) => {
        const scored = all.map(({ name, terms }) => ({
          name,
          shared: terms.filter((term) => wanted.has(term)).length,
        }));
        const most = Math.max(0, ...scored.map(({ shared }) => shared));
        return { between, most, best: scored.filter(({ shared }) => shared === most) };
      })
      .filter(({ most, best }) => most > 0 && best.length <= MOST_NAMES)
      .sort((a, b) => b.most - a.most)
      .flatMap(({ between, best }) => {
        const each = best.map(({ name }) => `“${name}”`);
        return [...new Set([each.join(between), ...each])];
      });
  };
}

/** The question with what the n-th time is in the place of each gap. With nothing there, what joined it goes too. */
function edited({ tokens }: Reading, gaps: readonly Gap[], nth: number): string {
  const filled = gaps.map(({ from, to, instead, joinedFrom }) => {
    const text = instead[Math.min(nth, instead.length - 1)] ?? '';
    return { from: text === '' ? (joinedFrom ?? from) : from, to, text };
  });
  return spaced(
    tokens.map(({ written }, at) => {
      const gap = filled.find(({ from, to }) => at >= from && at < to);
      return gap === undefined ? written : at === gap.from ? gap.text : '';
    }),
  );
}

/** The parts that are not understood. */
const leftIn = ({ items, left }: Reading): Item[] =>
  items.filter((item) => left.some(({ from, to }) => item.from >= from && item.to <= to));

const writtenAt = ({ tokens }: Reading, { from, to }: Span): string =>
  spaced(tokens.slice(from, to).map(({ written }) => written));

const spaced = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(' ,', ',');
