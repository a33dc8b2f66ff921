import type { ColumnText } from '../../kernel/table-text.ts';
import {
  type ContextNeed,
  type Detector,
  type DetectorFamily,
  type DetectorHits,
  type Hit,
  isNumbered,
  type PatternDetector,
  type Reading,
  type Signal,
  type Verdict,
} from '../detector.ts';
import { codeUnits } from './code-units.ts';
import { type TableReader, tableReader } from './columns.ts';
import { type ContextReader, contextReader } from './context.ts';
import { encodedTexts } from './encoded.ts';
import { withoutEscapes } from './escapes.ts';
import { type Found, inWritten, plainColumns } from './found.ts';
import { findStretches, type Stretches, windowsOf } from './gates.ts';
import { knownTable } from './known-table.ts';
import { matchesIn } from './matches.ts';
import { plainText } from './plain-text.ts';
import { type Group, type Plan, type PlannedPattern, planOf } from './plan.ts';
import { proveMany, type Span } from './prove-many.ts';
import { settleClaims } from './settle-claims.ts';
import { isolationOf } from './surroundings.ts';
import { type TableSearch, tableSearch } from './table-search.ts';
import { confidenceOf, tierOf } from './tier.ts';
import { toSignal } from './to-signal.ts';
import { withoutOverlaps } from './without-overlaps.ts';
import { noWork, type Work } from './work.ts';

/** Part of the stage-cache key. Raise it when the engine finds or masks something else in some text. */
export const ENGINE_VERSION = 7;

/** Beyond this number, further hits of a detector are not counted, and the count is a lower bound. */
const MAX_HITS = 100_000;
/** By list of detectors: those of secrets. */
const secrets = new WeakMap<readonly Detector[], readonly Detector[]>();

function secretsOf(detectors: readonly Detector[]): readonly Detector[] {
  const known = secrets.get(detectors) ?? detectors.filter(({ family }) => family === 'secret');
  secrets.set(detectors, known);
  return known;
}

/** Families that a name of a column may hold. */
const NAMES: ReadonlySet<DetectorFamily> = new Set(['person', 'place', 'organization', 'network']);

/** What is retained of a text: one signal for each detector that found something, in the order of `detectors`. */
export const detect = (text: string, detectors: readonly Detector[]): Signal[] =>
  findHits(text, detectors).map(toSignal);

/**
 * Runs all detectors over one text, in time linear in its length. Of two overlapping hits of one detector, the more
 * confident one wins. `settleClaims` decides between detectors.
 * Pass the same list for many texts, because the plan of a list is cached.
 * @param work accumulates the cost
 * @param homes countries of the tenant, see `settleClaims`
 */
export function findHits(
  written: string,
  detectors: readonly Detector[],
  work = noWork(),
  homes?: ReadonlySet<string>,
): DetectorHits[] {
  return searchText(written, detectors, work, homes).hits;
}

/**
 * The same with what the bounds of the detectors leave open, on which excerpts depend.
 * @param columns those of the table that the text is of, ascending; null if it is of none. Then tables are looked for.
 */
export function searchText(
  written: string,
  detectors: readonly Detector[],
  work = noWork(),
  homes?: ReadonlySet<string>,
  columns: readonly ColumnText[] | null = null,
): Found {
  const plain = plainText(written);
  const found = searchPlain(plain.text, detectors, work, homes, columns && plainColumns(columns, plain));
  return {
    ...(plain.text.length === written.length ? found : inWritten(found, plain)),
    again: (part) => searchText(part, detectors, work, homes),
  };
}

function searchPlain(
  plain: string,
  detectors: readonly Detector[],
  work: Work,
  homes: ReadonlySet<string> | undefined,
  columns: readonly ColumnText[] | null,
  decodes = true,
): Omit<Found, 'again'> {
  const plan = planOf(detectors);
  const text = withoutEscapes(plain);
  const codes = codeUnits(text);
  const stretches = findStretches(codes, plan.scanner);
  work.steps += text.length;
  const tables = columns === null ? tableReader(text, codes) : knownTable(text, columns);
  const context = contextReader(text, plan.lexicon, codes, tables);
  const table =
    columns &&
    tableSearch({
      text,
      columns,
      tables,
      context,
      holdsIdentifier: (name) => holdsIdentifier(name, detectors),
    });
  const search: Search = {
    text,
    codes,
    tables,
    columns,
    table,
    context,
    work,
    found: [],
    refused: [],
    unread: [],
    doubtful: [],
    isFull: false,
  };
  runPatterns(search, plan, stretches);
  runFinders(search, plan, stretches);
  if (decodes) addEncoded(search, detectors);
  const found = provenHits(search, detectors);
  const settled = settleClaims(found, homes).filter(({ hits }) => hits.length > 0);
  return {
    hits:
      table === null
        ? settled
        : settled.map(({ detector, hits }) => {
            return { detector, hits, columns: table.evidence(detectors.indexOf(detector), hits) };
          }),
    unread: search.isFull ? [{ start: 0, end: text.length }] : search.unread,
    doubtful: search.doubtful,
    valueAt: (offset) => table?.valueAt(offset) ?? null,
  };
}

function runPatterns(search: Search, { groups, alone, openedBy }: Plan, stretches: Stretches): void {
  const { length } = search.text;
  for (const group of groups) {
    const windows = windowsOf(length, group.gate, stretches, 0);
    if (windows.length > 0) runTogether(search, group, windows);
  }
  const open = new Set(alone);
  for (const literal of stretches.literals.keys()) {
    for (const each of openedBy.get(literal) ?? []) open.add(each);
  }
  for (const { gate, patterns } of open) {
    const windows = windowsOf(length, gate, stretches);
    if (windows.length > 0) for (const planned of patterns) runOverWindows(search, planned, windows);
  }
}

function runFinders(search: Search, { finding }: Plan, stretches: Stretches): void {
  const { length } = search.text;
  const reading = readingOf(search);
  for (const { place, detector } of finding) {
    const { gate } = detector;
    const windows = gate === undefined ? [0, length] : windowsOf(length, gate, stretches);
    if (windows.length === 0) continue;
    for (const { start, end, verdict, context } of detector.find(reading, windows)) {
      weigh(search, place, detector, context ?? 'optional', verdict, start, end);
    }
  }
}

/** Adds the secrets within one level of Base64. Such a hit is the whole encoded part. */
function addEncoded({ text, codes, found, work }: Search, detectors: readonly Detector[]): void {
  for (const { start, end, text: inner } of encodedTexts(text, codes)) {
    for (const { detector, hits } of searchPlain(inner, secretsOf(detectors), work, undefined, null, false)
      .hits) {
      const best = Math.max(...hits.map(({ confidence }) => confidence));
      const hit = hits.find(({ confidence }) => confidence === best);
      const place = detectors.indexOf(detector);
      if (hit !== undefined) found[place] = [...(found[place] ?? []), { ...hit, start, end }];
    }
  }
}

function provenHits(search: Search, detectors: readonly Detector[]): DetectorHits[] {
  const found: DetectorHits[] = [];
  for (let place = 0; place < search.found.length; place++) {
    const hits = search.found[place];
    const detector = detectors[place];
    if (hits === undefined || detector === undefined) continue;
    found.push({ detector, hits: proven(search, place, detector, withoutOverlaps(hits)) });
  }
  return found;
}

/** The hits of a detector that count, with the tiers that all of them together give. */
function proven(search: Search, place: number, detector: Detector, hits: Hit[]): Hit[] {
  const refused = search.refused[place] ?? [];
  if (search.table === null) {
    proveMany(search.text, detector, hits, refused);
    return hits;
  }
  const { kept, dropped } = search.table.weigh(place, detector, hits, refused);
  for (const span of dropped) search.doubtful.push(span);
  return kept;
}

const holdsIdentifier = (name: string, detectors: readonly Detector[]): boolean =>
  /[\d@]/.test(name) && searchText(name, detectors).hits.some(({ detector }) => !NAMES.has(detector.family));

type Search = {
  readonly text: string;
  readonly codes: Uint16Array;
  readonly tables: TableReader;
  readonly columns: readonly ColumnText[] | null;
  readonly table: TableSearch | null;
  readonly context: ContextReader;
  readonly work: Work;
  /** By index of the detector. */
  readonly found: (Hit[] | undefined)[];
  /** By index of the detector: matches of its patterns that do not pass its check. */
  readonly refused: (Span[] | undefined)[];
  readonly unread: Span[];
  readonly doubtful: Span[];
  /** Whether some detector had more hits than count. */
  isFull: boolean;
};

function readingOf({ text, codes, tables, columns, unread, doubtful }: Search): Reading {
  const made = new Map<symbol, unknown>();
  return {
    text,
    codes,
    tables,
    columns,
    once: <T>(key: symbol, make: (text: string) => T) => {
      if (!made.has(key)) made.set(key, make(text));
      return made.get(key) as T;
    },
    unread: (start, end) => void unread.push({ start, end }),
    doubtful: (start, end) => void doubtful.push({ start, end }),
  };
}

/** Tries each pattern of a group only where it may match. The result is that of a search over the whole text. */
function runTogether(search: Search, { finder, patterns, next }: Group, windows: readonly number[]): void {
  const { text, codes, context, work } = search;
  // Like a global search, a pattern is tried once at each position and not inside its last match.
  next.fill(0);
  const attempt = (index: number, start: number) => {
    const planned = patterns[index];
    if (planned === undefined || start < (next[index] ?? 0)) return;
    next[index] = start + 1;
    const { sticky, place, detector, pattern } = planned;
    if (pattern.context === 'required' && !context.mayBeAround(place, start)) return;
    sticky.lastIndex = start;
    work.runs += 1;
    if (!sticky.test(text)) return;
    const span = valueIn(detector, text, start, sticky.lastIndex);
    next[index] = span.end;
    weigh(search, place, detector, pattern.context, pattern.judge ?? detector.judge, span.start, span.end);
  };
  for (let i = 0; i + 1 < windows.length; i += 2) {
    work.steps += finder.find(codes, windows[i] ?? 0, windows[i + 1] ?? 0, attempt);
  }
}

function runOverWindows(
  search: Search,
  { place, detector, pattern }: PlannedPattern,
  windows: readonly number[],
): void {
  for (const [from, to] of matchesIn(search.text, pattern.regex, windows, search.work)) {
    const { start, end } = valueIn(detector, search.text, from, to);
    weigh(search, place, detector, pattern.context, pattern.judge ?? detector.judge, start, end);
  }
}

function valueIn({ alone }: PatternDetector, text: string, start: number, end: number) {
  if (alone === undefined) return { start, end };
  const match = text.slice(start, end);
  const value = alone(match);
  const from = start + match.indexOf(value);
  return { start: from, end: from + value.length };
}

/**
 * Records a match as a hit unless its verdict or surroundings rule it out. The context is read last, because that is
 * the most expensive check, except for patterns that require it.
 * @param worth the verdict, or the function that judges the matched text. Without one the verdict is `shape`.
 */
function weigh(
  search: Search,
  place: number,
  detector: Detector,
  need: ContextNeed,
  worth: Verdict | PatternDetector['judge'],
  start: number,
  end: number,
): void {
  let hits = search.found[place];
  if (hits !== undefined && hits.length >= MAX_HITS) {
    // Patterns run one after the other, so that it is unknown where the hits are that do not count.
    search.isFull = true;
    return;
  }
  const known = need === 'required' && isInContext(search, detector, place, start, end);
  if (need === 'required' && !known) return;
  const match = search.text.slice(start, end);
  const verdict = typeof worth === 'function' ? worth(match) : (worth ?? 'shape');
  if (verdict === 'no') {
    if (detector.randomMatch !== undefined) noteRefused(search, place, start, end);
    return;
  }
  const isolation = isNumbered(detector) ? isolationOf(search.text, start, end) : 'alone';
  if (isolation === 'part') return;
  const inContext = known || isInContext(search, detector, place, start, end);
  if (isolation === 'joined' && !inContext) return;
  if (need === 'unless_checksum' && verdict !== 'checksum' && !inContext) return;
  const tier = tierOf(verdict, inContext);
  if (hits === undefined) {
    hits = [];
    search.found[place] = hits;
  }
  hits.push({ start, end, tier, confidence: confidenceOf(detector, tier, match) });
}

function noteRefused({ refused }: Search, place: number, start: number, end: number): void {
  const spans = refused[place] ?? [];
  refused[place] = spans;
  if (spans.length < MAX_HITS) spans.push({ start, end });
}

function isInContext(
  { context, work }: Search,
  { context: phrases }: Detector,
  place: number,
  start: number,
  end: number,
): boolean {
  if (phrases.length === 0) return false;
  work.contextReads += 1;
  return context.isAround(place, start, end);
}
