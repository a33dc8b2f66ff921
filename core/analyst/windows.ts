import { durationAt, momentAt, type Read, type Span, unitsAgo, type Window } from './moments.ts';
import type { Token } from './tokens.ts';

const IN = ['in', 'on', 'during', 'within', 'over', 'from', 'of', 'for', 'at'];
const LAST = ['last', 'past', 'previous'];
const MORE = [['older', 'than'], ['more', 'than'], ['longer', 'than'], ['at', 'least'], ['over']];
const LESS = [
  ['newer', 'than'],
  ['younger', 'than'],
  ['less', 'than'],
  ['more', 'recent', 'than'],
  ['at', 'most'],
  ['no', 'more', 'than'],
  ['under'],
];

/** Where a window is open, by the words before its other end. */
const SIDES: readonly { words: readonly string[]; of: (span: Span) => Window }[] = [
  ...[['since'], ['on', 'or', 'after'], ['no', 'earlier', 'than'], ['not', 'earlier', 'than'], ['from']].map(
    (words) => ({ words, of: ({ from }: Span) => ({ from }) }),
  ),
  { words: ['after'], of: ({ to }) => ({ from: to }) },
  ...[['before'], ['prior', 'to']].map((words) => ({ words, of: ({ from }: Span) => ({ to: from }) })),
  ...[
    ['until'],
    ['till'],
    ['up', 'to'],
    ['on', 'or', 'before'],
    ['no', 'later', 'than'],
    ['not', 'later', 'than'],
  ].map((words) => ({ words, of: ({ to }: Span) => ({ to }) })),
];

const startsWith = (tokens: readonly Token[], at: number, words: readonly string[]): boolean =>
  words.every((word, i) => tokens[at + i]?.text === word);
const oneOf = (tokens: readonly Token[], at: number, words: readonly string[]): boolean =>
  words.includes(tokens[at]?.text ?? '');

/**
 * A time window that begins at a token: `since March`, `in the last 7 days`, `older than two years`, `before
 * 2024-05-01`, `between … and …`. A pure function of the tokens and of `now`, in milliseconds.
 */
export function windowAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  return (
    betweenAt(tokens, at, now) ??
    sinceAt(tokens, at, now) ??
    lastAt(tokens, at, now) ??
    ageAt(tokens, at, now) ??
    plainAt(tokens, at, now)
  );
}

function betweenAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  const ends = oneOf(tokens, at, ['between'])
    ? ['and']
    : oneOf(tokens, at, ['from'])
      ? ['to', 'until', 'till', 'through']
      : null;
  const first = ends && momentAt(tokens, at + 1, now);
  if (ends === null || first === null || !oneOf(tokens, at + 1 + first.length, ends)) return null;
  const second = momentAt(tokens, at + 2 + first.length, now);
  if (second === null) return null;
  // `between November and January`, `from January to March 2025`: the first is the last one before the second.
  const begun = first.bare ? first : (momentAt(tokens, at + 1, second.value.to - 1) ?? first);
  if (begun.length !== first.length || second.value.to < begun.value.from) return null;
  return {
    value: { from: begun.value.from, to: second.value.to },
    length: 2 + first.length + second.length,
  };
}

function sinceAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  const side = SIDES.find(({ words }) => startsWith(tokens, at, words));
  const moment = side && momentAt(tokens, at + side.words.length, now);
  if (side === undefined || moment == null) return null;
  const length = side.words.length + moment.length;
  if (side.words[0] === 'from')
    return oneOf(tokens, at + length, ['on', 'onward', 'onwards'])
      ? { value: side.of(moment.value), length: length + 1 }
      : null;
  return { value: side.of(moment.value), length };
}

/** `in the last 7 days`, `past week`, `within 2 weeks`. */
function lastAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  const begin = oneOf(tokens, at, IN) ? 1 : 0;
  const article = oneOf(tokens, at + begin, ['the']) ? 1 : 0;
  const isLast = oneOf(tokens, at + begin + article, LAST);
  if (!isLast) return null;
  const before = begin + article + 1;
  const duration = durationAt(tokens, at + before);
  if (duration !== null) {
    const { unit, count } = duration.value;
    return { value: { from: unitsAgo(now, unit, count) }, length: before + duration.length };
  }
  // `last week` is a week of the calendar, `past week` and `in the last week` are seven days.
  const isRolling = begin + article === 2 && !oneOf(tokens, at, ['of', 'from']);
  if (!isRolling && !oneOf(tokens, at + begin + article, ['past'])) return null;
  if (oneOf(tokens, at + before + 1, ['of'])) return null;
  const one = durationAt(
    [{ kind: 'word', text: 'one', written: 'one' }, ...tokens.slice(at + before, at + before + 1)],
    0,
  );
  return one && { value: { from: unitsAgo(now, one.value.unit, 1) }, length: before + 1 };
}

/** `older than two years`, `newer than March`, `more than 2 years ago`, `for over a year`. */
function ageAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  const begin = oneOf(tokens, at, ['for']) ? 1 : 0;
  const phrase = [...MORE, ...LESS].find((words) => startsWith(tokens, at + begin, words));
  const isMore = phrase !== undefined && MORE.includes(phrase);
  const before = begin + (phrase?.length ?? 0);
  if (phrase === undefined && begin === 0) return null;
  const ofThing = ['older', 'newer', 'younger'].includes(phrase?.[0] ?? '');
  const isPlain = phrase === undefined || ofThing || phrase[0] === 'longer';
  const duration = durationAt(tokens, at + before);
  if (duration !== null) {
    const after = oneOf(tokens, at + before + duration.length, ['ago', 'old']) ? 1 : 0;
    const isAge = ofThing || oneOf(tokens, at + before + duration.length, ['old']);
    // `more than 3 months` alone is no time: something is to say that it is one.
    if (begin === 0 && after === 0 && !isPlain) return null;
    const edge = unitsAgo(now, duration.value.unit, duration.value.count);
    const isFor = begin === 1 && (phrase === undefined || isMore);
    const isLasting = isFor || (phrase?.[0] === 'longer' && after === 0);
    const window: Window = begin === 1 || !isMore ? { from: edge } : { to: edge };
    const value: Window = isLasting
      ? { from: edge, lasting: true }
      : { ...window, ...(isAge && { age: true }) };
    return { value, length: before + duration.length + after };
  }
  const moment = phrase !== undefined && isPlain && begin === 0 ? momentAt(tokens, at + before, now) : null;
  if (moment === null) return null;
  const { from, to } = moment.value;
  return {
    value: { ...(isMore ? { to: from } : { from: to }), ...(ofThing && { age: true }) },
    length: before + moment.length,
  };
}

/** `in 2024`, `on 1 May`, `yesterday`, `last month`. */
function plainAt(tokens: readonly Token[], at: number, now: number): Read<Window> | null {
  const begin = oneOf(tokens, at, IN) ? 1 : 0;
  const moment = momentAt(tokens, at + begin, now);
  if (moment === null || (begin === 0 && !moment.bare)) return null;
  // A year ago is no day, but may be an end: `since a year ago`.
  const end = at + begin + moment.length;
  if (oneOf(tokens, end - 1, ['ago']) && !oneOf(tokens, end - 2, ['day', 'days', 'hour', 'hours']))
    return null;
  return { value: moment.value, length: begin + moment.length };
}
