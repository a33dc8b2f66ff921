import { RE2JS } from 're2js';
import { words } from '../kernel/words.ts';
import { isLuhn } from './checks/luhn.ts';
import { mod97 } from './checks/mod97.ts';
import { compact } from './checks/token.ts';
import { type Detector, defineDetector, type Find, type Reading, type Verdict } from './detector.ts';
import { detect } from './engine/detect.ts';

export const CUSTOM_CHECKSUMS = ['none', 'luhn', 'mod97'] as const;

/** What a tenant declares of a detector of its own. */
export type CustomDefinition = {
  title: string;
  /** RE2 syntax: no look-around, no back-references, time linear in the text. */
  pattern: string;
  /** Words or phrases, one of which stands near or heads the column. */
  context: readonly string[];
  /** Whether a match without such a word counts. */
  contextRequired: boolean;
  /** What the letters and digits of a match must satisfy: the Luhn algorithm, or ISO 7064 mod 97-10, check digits last. */
  checksum: (typeof CUSTOM_CHECKSUMS)[number];
  examples: { readonly hits: readonly string[]; readonly misses: readonly string[] };
};

export type CustomDetector = { detectorId: string; version: number; definition: CustomDefinition };

/** A pattern's instructions are what one character of text may cost. */
const MAX_INSTRUCTIONS = 250;
/** Instructions that all custom detectors together may spend on one text: a few seconds at the very worst. */
const MAX_STEPS = 400_000_000;

/** Characters that one search reads at most, and those of the longest match that is found wherever it stands. */
const WINDOW = 512;
const LONGEST = 128;

const CHECKS: Readonly<Record<CustomDefinition['checksum'], (value: string) => Verdict>> = {
  none: () => 'shape',
  luhn: (value) => (isLuhn(value) ? 'checksum' : 'no'),
  mod97: (value) => (value.length > 4 && mod97(value) === 1 ? 'checksum' : 'no'),
};

/**
 * Makes detectors of a tenant's declarations. They share a bound on the work of one text: past it a text is not
 * searched further, and the count is a lower bound.
 */
export function compileCustomDetectors(declared: readonly CustomDetector[]): Detector[] {
  return declared.map((each) => compile(each, MAX_STEPS / declared.length));
}

function compile({ detectorId, version, definition }: CustomDetector, steps: number): Detector {
  const { title, checksum, contextRequired, examples } = definition;
  const pattern = RE2JS.compile(definition.pattern);
  const searched = Math.floor(steps / pattern.programSize());
  return defineDetector({
    id: detectorId,
    version,
    family: 'custom',
    title,
    context: definition.context.map((phrase) => words(phrase).join(' ')),
    examples,
    find: (reading) => matchesOf(pattern, reading, searched, checksum, contextRequired),
  });
}

function* matchesOf(
  pattern: RE2JS,
  { text }: Reading,
  searched: number,
  checksum: CustomDefinition['checksum'],
  contextRequired: boolean,
): Generator<Find> {
  for (const [start, end] of spansOf(pattern, text, searched)) {
    // Between two characters there is nothing, though a pattern of boundaries alone matches there.
    if (start === end) continue;
    if (isInsideWord(text, start) || isInsideWord(text, end)) continue;
    const verdict = CHECKS[checksum](compact(text.slice(start, end)));
    yield { start, end, verdict, context: contextRequired ? 'required' : 'optional' };
  }
}

/**
 * Matches, left to right, disjoint, of at most `LONGEST` characters. A search for one is linear in what it reads, and may
 * read all that is left to find it short (`x[^y]*y|x`), so it is given a window, and pays for all of it.
 * @param searched characters that all searches together may read
 */
function* spansOf(pattern: RE2JS, text: string, searched: number): Generator<[start: number, end: number]> {
  let at = 0;
  let left = searched;
  while (at < text.length && left > 0) {
    const to = Math.min(text.length, at + WINDOW);
    // With the character before it, which boundaries look at.
    const from = Math.max(0, at - 1);
    const matcher = pattern.matcher(text.slice(from, to));
    const isLast = to === text.length;
    let found = true;
    while (found && left > 0) {
      left -= to - at;
      found = matcher.find(at - from);
      if (!found) continue;
      const [start, end] = [from + matcher.start(), from + matcher.end()];
      // What reaches the edge was not seen whole: it is looked at again from its start, and what fills a window is passed over.
      if (end === to && !isLast) {
        at = start > at ? start : to;
        break;
      }
      yield [start, end];
      at = Math.max(end, at + 1);
      found = at < to;
    }
    if (!found) at = isLast ? text.length : Math.max(at, to - LONGEST);
  }
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Whether a word goes on over this offset, so that what begins or ends here is a part of it. */
const isInsideWord = (text: string, at: number): boolean =>
  WORD_CHARACTER.test(text.charAt(at - 1)) && WORD_CHARACTER.test(text.charAt(at));

/** Something wrong with a declaration, at a path in it; the message quotes nothing of it. */
export type Fault = { path: string; message: string };

/** What is wrong with a declaration; none when it may be kept. */
export function faultsOf(definition: CustomDefinition): Fault[] {
  const faults = [...patternFaults(definition.pattern), ...contextFaults(definition)];
  if (faults.length > 0) return faults;
  const [detector] = compileCustomDetectors([{ detectorId: 'custom_draft', version: 1, definition }]);
  const finds = (text: string) => detector !== undefined && detect(text, [detector]).length > 0;
  const wrong = (kind: 'hits' | 'misses', message: string) =>
    definition.examples[kind].flatMap((text, at) =>
      finds(text) === (kind === 'hits') ? [] : [{ path: `examples.${kind}.${at}`, message }],
    );
  return [
    ...wrong('hits', 'The detector does not find this one.'),
    ...wrong('misses', 'The detector finds this one.'),
  ];
}

function patternFaults(source: string): Fault[] {
  const fault = (message: string) => [{ path: 'pattern', message }];
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source);
  } catch {
    return fault('Not a pattern in RE2 syntax, which has neither look-around nor back-references.');
  }
  if (pattern.programSize() > MAX_INSTRUCTIONS)
    return fault('Too large: shorten it, or lower the numbers of its repetitions.');
  return pattern.matcher('').find() ? fault('It must not match the empty text.') : [];
}

function contextFaults({ context, contextRequired }: CustomDefinition): Fault[] {
  const empty = context.flatMap((phrase, at) =>
    words(phrase).length > 0 ? [] : [{ path: `context.${at}`, message: 'It holds no word.' }],
  );
  return contextRequired && context.length === 0
    ? [{ path: 'context', message: 'A required context needs at least one word.' }]
    : empty;
}
