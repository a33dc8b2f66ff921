import type { ColumnText } from '../../kernel/table-text.ts';
import type { ColumnEvidence, ColumnsOfSignal, Detector, Hit } from '../detector.ts';
import type { Speaker } from './context.ts';
import { chanceOf, countOfMany, LEAST_CHANCE, proveMany, type Span } from './prove-many.ts';

/** Columns that a signal names. */
const MAX_COLUMNS = 20;
/** Where the column says what its values are, so many of them suffice. */
const SAID_SHARE = 0.5;
/** Of a key that is a number, nearly all values must pass, because counters resemble each other. */
const KEY_SHARE = 0.9;
/** The most that chance may explain of the hits of a column: beside one of identifiers, there are so many others. */
const CHANCE = { alone: 1 / 30, said: 0.01 };
/** They are amounts, counters and times more often than identifiers, so less than many of them say nothing. */
const SHORT_DIGITS = /^\d{1,14}$/;

/** The hits that count, and those that chance explains or that are no values. */
export type Weighed = { readonly kept: Hit[]; readonly dropped: readonly Span[] };

/**
 * Weighs the hits of one detector column by column. A column is one piece of evidence: where as many of its values pass a
 * check as pass by chance, none of them counts. What is beside the values, and a hit over two values, never counts.
 * @param hits ascending and disjoint; their tiers and confidences are changed
 * @param refused matches that do not pass, in any order
 * @param saidBy what says of a column, by its index, that its values are of the detector's kind
 */
export function weighColumns(
  text: string,
  detector: Detector,
  hits: readonly Hit[],
  refused: readonly Span[],
  columns: readonly ColumnText[],
  saidBy: (column: number) => Speaker | null,
): Weighed {
  const kept: Hit[] = [];
  const isValue = ({ start, end }: Span) => !text.slice(start, end).includes('\n');
  const hitsOf = byColumn(hits.filter(isValue), columns);
  const refusedOf = byColumn(
    refused.filter(isValue).toSorted((a, b) => a.start - b.start),
    columns,
  );
  for (const [column, own] of hitsOf) {
    const others = refusedOf.get(column) ?? [];
    proveMany(text, detector, own, others);
    const { isNumber = false, isKey = false } = columns[column] ?? {};
    const about = { isNumber, isCounter: isNumber && isKey, isSaid: saidBy(column) !== null };
    kept.push(...evidenceIn(text, detector, own, others, about));
  }
  const counted = new Set(kept);
  return { kept, dropped: hits.filter((hit) => !counted.has(hit)) };
}

/** The hits of a column that count. */
function evidenceIn(
  text: string,
  { randomMatch }: Detector,
  hits: readonly Hit[],
  refused: readonly Span[],
  { isNumber, isCounter, isSaid }: { isNumber: boolean; isCounter: boolean; isSaid: boolean },
): Hit[] {
  const isCounted = (hit: Hit): boolean => {
    if (randomMatch === undefined || !isChecked(hit)) return isSaid || !isNumber;
    return hit.tier === 'checksum_and_context' ? isLikelyInContext() : isLikelyAlone(hit);
  };
  const shareOf = (counted: readonly Hit[]) => {
    const { passing, values } = countOfMany(text, counted, hits, refused);
    const areDigits = counted.every(({ start, end }) => /^\d+$/.test(text.slice(start, end)));
    const chance = Math.max(randomMatch ?? 1, areDigits ? LEAST_CHANCE : 0);
    return { share: passing / values, chance: chanceOf(passing, values, chance) };
  };
  const inContext = shareOf(hits.filter(({ tier }) => tier === 'checksum_and_context'));
  const alone = shareOf(hits.filter(({ tier }) => tier === 'checksum' || tier === 'checksum_of_many'));
  const isLikelyInContext = () => inContext.share >= SAID_SHARE || inContext.chance <= CHANCE.said;
  const isLikelyAlone = ({ tier, start, end }: Hit) => {
    if (isCounter) return tier === 'checksum_of_many' && alone.share >= KEY_SHARE;
    if (tier === 'checksum_of_many') return true;
    return !SHORT_DIGITS.test(text.slice(start, end)) && alone.chance <= CHANCE.alone;
  };
  return hits.filter(isCounted);
}

const isChecked = ({ tier }: Hit): boolean => tier !== 'sample' && tier.startsWith('checksum');

/** The spans of each column that has some. What is in no column is left out. Ascending. */
function byColumn<S extends Span>(spans: readonly S[], columns: readonly ColumnText[]): Map<number, S[]> {
  const found = new Map<number, S[]>();
  let at = 0;
  for (const span of spans) {
    while (at < columns.length && (columns[at]?.end ?? 0) <= span.start) at += 1;
    const column = columns[at];
    if (column === undefined) break;
    if (span.start < column.start) continue;
    const own = found.get(at);
    if (own === undefined) found.set(at, [span]);
    else own.push(span);
  }
  return found;
}

/**
 * What is retained of the columns with hits.
 * @param hits ascending
 * @param nameOf the name of a column that may be shown
 */
export function columnsOf(
  text: string,
  hits: readonly Hit[],
  columns: readonly ColumnText[],
  saidBy: (column: number) => Speaker | null,
  nameOf: (column: number) => string,
): ColumnsOfSignal {
  const found = [...byColumn(hits, columns)]
    .map(([column, own]) => ({ column, passing: cellsWith(text, own) }))
    .sort((a, b) => b.passing - a.passing);
  const items = found.slice(0, MAX_COLUMNS).map(({ column, passing }): ColumnEvidence => {
    const speaker = saidBy(column);
    return {
      column: nameOf(column),
      saidBy: speaker === 'remark' ? 'comment' : speaker,
      passing,
      values: columns[column]?.values ?? 0,
    };
  });
  return { items, truncated: found.length > MAX_COLUMNS };
}

/** How many lines have a hit. */
function cellsWith(text: string, hits: readonly Hit[]): number {
  let cells = 0;
  let end = -1;
  for (const { start } of hits) {
    if (start < end) continue;
    cells += 1;
    const newline = text.indexOf('\n', start);
    end = newline === -1 ? text.length : newline;
  }
  return cells;
}
