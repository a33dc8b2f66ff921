import { RE2JS, RE2JSException } from 're2js';
import { words } from '../kernel/words.ts';
import { isLuhn } from './checks/luhn.ts';
import { mod97 } from './checks/mod97.ts';
import { compact } from './checks/token.ts';
import type { CustomDefinition, CustomDetector } from './custom-definition.ts';
import { type Detector, defineDetector, type Find, type Reading, type Verdict } from './detector.ts';
import { detect } from './engine/detect.ts';

/** Limits the cost of one character of text: at worst it runs every instruction of the pattern. */
const MAX_INSTRUCTIONS = 250;
/** Instructions that all custom detectors together may run on one text. At worst this takes a few seconds. */
const MAX_STEPS = 400_000_000;

/** The most characters that one search reads, and the longest match that is found wherever it is. */
const WINDOW = 512;
const LONGEST = 128;

const CHECKS: Readonly<Record<CustomDefinition['checksum'], (value: string) => Verdict>> = {
  none: () => 'shape',
  luhn: (value) => (isLuhn(value) ? 'checksum' : 'no'),
  mod97: (value) => (value.length > 4 && mod97(value) === 1 ? 'checksum' : 'no'),
};

/**
 * Compiles the detectors of a tenant. They share a limit on the work for one text. Beyond it the text is not searched
 * further, and the count is a lower bound.
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
  reading: Reading,
  searched: number,
  checksum: CustomDefinition['checksum'],
  contextRequired: boolean,
): Generator<Find> {
  const { text } = reading;
  for (const [start, end] of spansOf(pattern, reading, searched)) {
    // A pattern that consists only of boundaries can still match the empty text between two characters.
    if (start === end) continue;
    if (isInsideWord(text, start) || isInsideWord(text, end)) continue;
    const verdict = CHECKS[checksum](compact(text.slice(start, end)));
    yield { start, end, verdict, context: contextRequired ? 'required' : 'optional' };
  }
}

/**
 * Yields matches from left to right. They are disjoint and at most `LONGEST` characters long.
 * One search may read all the remaining text for a short match (`x[^y]*y|x`). It is therefore limited to a window,
 * and the whole window counts as read.
 * @param searched characters that all searches together may read
 */
function* spansOf(
  pattern: RE2JS,
  { text, unread, doubtful }: Reading,
  searched: number,
): Generator<[start: number, end: number]> {
  let at = 0;
  let left = searched;
  while (at < text.length && left > 0) {
    const to = Math.min(text.length, at + WINDOW);
    // Includes the character before, because boundaries depend on it.
    const from = Math.max(0, at - 1);
    const matcher = pattern.matcher(text.slice(from, to));
    const isLast = to === text.length;
    let found = true;
    while (found && left > 0) {
      left -= to - at;
      found = matcher.find(at - from);
      if (!found) continue;
      const [start, end] = [from + matcher.start(), from + matcher.end()];
      // A match that reaches the edge of the window may be incomplete. The next search starts at it. A match that
      // fills the window is skipped.
      if (end === to && !isLast) {
        if (start === at) doubtful(start, end);
        at = start > at ? start : to;
        break;
      }
      yield [start, end];
      at = Math.max(end, at + 1);
      found = at < to;
    }
    if (!found) at = isLast ? text.length : Math.max(at, to - LONGEST);
  }
  if (at < text.length) unread(at, text.length);
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/**
 * Whether there are word characters on both sides of this offset, so that a match that begins or ends here is part of
 * a word.
 */
const isInsideWord = (text: string, at: number): boolean =>
  WORD_CHARACTER.test(text.charAt(at - 1)) && WORD_CHARACTER.test(text.charAt(at));

/** An error in a declaration, at a path in it. The message quotes nothing of the declaration. */
export type Fault = { path: string; message: string };

/** Returns the errors in a declaration. Empty if it is valid. */
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
    ...wrong('hits', 'The detector does not find this example.'),
    ...wrong('misses', 'The detector finds this example.'),
  ];
}

function patternFaults(source: string): Fault[] {
  const fault = (message: string) => [{ path: 'pattern', message }];
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return fault('Not a pattern in RE2 syntax. RE2 supports neither look-around nor back-references.');
  }
  if (pattern.programSize() > MAX_INSTRUCTIONS)
    return fault('The pattern is too large. Shorten it or lower its repetition counts.');
  return pattern.matcher('').find() ? fault('The pattern must not match the empty text.') : [];
}

function contextFaults({ context, contextRequired }: CustomDefinition): Fault[] {
  const empty = context.flatMap((phrase, at) =>
    words(phrase).length > 0 ? [] : [{ path: `context.${at}`, message: 'The phrase contains no word.' }],
  );
  return contextRequired && context.length === 0
    ? [{ path: 'context', message: 'A required context needs at least one word.' }]
    : empty;
}
