import { isStopWord } from '../../kernel/words.ts';
import { PARTICLES } from './cues.ts';
import { isAfterPhrase } from './phrases.ts';
import { merged, type Span } from './spans.ts';
import {
  AFTER_STREET_NAME,
  BEFORE_ADDRESS,
  BEFORE_STREET_NAME,
  IN_THE_HOUSE,
  STREET_WORDS,
  SURE_STREETS,
} from './street-words.ts';
import { type Slice, type Token, tokenAt } from './tokens.ts';
import { isOneOf } from './word.ts';

/** Words that can be part of an address without a capital. */
const IN_ADDRESSES = STREET_WORDS | IN_THE_HOUSE | PARTICLES;
const MAX_WORDS = 6;
/** A shorter word before a full stop is an abbreviation. */
const LEAST_WORD = 4;
/** How far a house number may extend beyond the last word of a slice, in characters. */
const MAX_DIGITS_AFTER = 16;
/** Most words and numbers of city, region, country and postal code after a street in a sentence. */
const MAX_PARTS_AFTER = 12;
const HOUSE_NUMBER = '\\d{1,5}[A-Za-z]?(?:[/-]\\d{1,4}[A-Za-z]?)?';
const NUMBERS_BEFORE = new RegExp(`(?<![\\p{L}\\p{N}.,:/-])(?:${HOUSE_NUMBER},? ){1,2}$`, 'u');
const NUMBER_AFTER = new RegExp(
  `^[.,]{0,2} ?(?:(?:no|nr|n)?[.°º]{0,2} ?|# ?)${HOUSE_NUMBER}(?![\\p{L}\\p{N}]|[.,:]\\d)`,
  'iu',
);
const POST_BOX =
  /\b(?:p\.? ?o\.? ?box|postfach|bo[iî]te postale|b\.?p\.?|apartado(?: de correos)?|casella postale|caixa postal|postbus|skr\. poczt\.)[ .:]{1,3}\d{1,6}/giu;
const MILITARY =
  /\b(?:(?:psc|unit|cmr) \d{3,5},? box \d{3,5}|us[a-z]{1,4} \p{L}{2,20})\s{1,2}(?:apo|fpo|dpo),? a[aep],? \d{5}/giu;
const CORNER =
  /\b(?:the )?corner of (?:\d{1,5} ){0,2}(?:\p{Lu}[\p{L}.'’-]{1,30} ){1,5}(?:\d{1,5} )?and (?:\d{1,5} ){0,2}\p{Lu}[\p{L}.'’-]{1,30}(?: \p{Lu}[\p{L}.'’-]{1,30}){0,4}(?: \d{1,5}\b)?/gu;
/** What separates the phrase that announces an address from its first word. */
const ANNOUNCED = /^[\s:]{1,8}(?:\d[\d ]{0,9})?$/;
const JOINT = /^(?:[ \u00a0]|\. ?|-|['’])$/;
/** A street such as `59 Delta 116` before `Suite 12`, at the start of a line or after other words. */
const STREET_ABOVE =
  /(?:^|[\s>])((?:\d{1,5} ){1,2}(?:[\p{L}.'’-]{1,30} ){1,5}(?:\d{1,5}[A-Za-z]? ?)?[,\r\n>? ]{0,6})$/u;
const AFTER_WORDS = /[,\r\n>? ]{1,6}$/;
const INSIDE = /^[.]? ?#? ?\d{1,5}[A-Za-z]?(?![\p{L}\p{N}])/u;
const CONTINUES = /^(?:,? {1,2}|\.?,? ?\r?\n ?(?:, )?)(?! )/;
/** Start of a line, with quotation marks or bullets and a house number. After a colon the line continues. */
const OPENS_LINE = /(?:^|[^:\s]\s{0,3})\n[^\p{L}\p{N}\n]{0,12}(?:\d{1,5} )?$/u;
const OPENS_TEXT = /^[^\p{L}\p{N}]{0,12}(?:\d{1,5} )?$/u;
/** A comma and one name. */
const TOWN_ALONE = /^, [^,\d\n]{2,40}$/;
const CONTINUES_IN_LINE = /^,? {1,2}/;
/** A full stop after a longer word is not part of an abbreviation. */
const SENTENCE_END = /\p{L}{4}\.$/u;
const PART =
  /^(?:\p{Lu}(?:[\p{L}\p{M}'’-]|(?<!\p{L}{4})\.|\.(?!\p{L})){0,30}|\d{1,6}(?:-\d{1,4})?|(?:de|la|le|del|di|da|do|dos|das|am|an|der|im|the|and|of|u|pri|v|na|en|les|sur|by)(?= (?:the )?\p{Lu}))/u;
const PART_WITHOUT_CASE =
  /^(?:\p{L}(?:[\p{L}\p{M}'’-]|(?<!\p{L}{4})\.|\.(?!\p{L})){0,30}|\d{1,6}(?:-\d{1,4})?)/u;

/**
 * Finds street addresses in one slice of a text. In a letter head each line is a hit of its own. In a sentence an
 * address continues to the city, country and postal code, even on the next line.
 * Ascending and disjoint.
 */
export function findAddresses(slice: Slice): readonly Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < slice.tokens.length; at++) {
    const token = tokenAt(slice, at);
    const { word, shape } = token;
    if (shape === 'code' || (shape === 'lower' && !slice.caseless && !isOneOf(word, IN_ADDRESSES))) continue;
    const isInHouse = isOneOf(word, IN_THE_HOUSE);
    const span = isInHouse ? insideHouse(slice.text, token) : streetAt(slice, at, token);
    if (span === null) continue;
    spans.push(span);
    if (isInHouse) spans.push(...streetAbove(slice.text, span.start));
  }
  if (slice.tokens.some(({ word }) => word.mayBeBox)) spans.push(...boxesAndCorners(slice));
  return spans.length === 0 ? spans : merged(spans.map((span) => extended(slice, span)));
}

function boxesAndCorners({ text, tokens }: Slice): Span[] {
  const from = tokens[0]?.start ?? 0;
  const part = text.slice(from, (tokens.at(-1)?.end ?? 0) + MAX_DIGITS_AFTER);
  return [POST_BOX, MILITARY, CORNER].flatMap((regex) =>
    [...part.matchAll(regex)].map(({ index, 0: { length } }) => ({
      start: from + index,
      end: from + index + length,
    })),
  );
}

/** The street at word `at`, recognised by its name or by the words before it. */
function streetAt(slice: Slice, at: number, token: Token): Span | null {
  const isName = isNameWord(slice, at);
  if (isName && token.word.isStreet) return street(slice, firstOfName(slice, at), at + 1, false);
  if (!isOneOf(token.word, STREET_WORDS)) return isName ? announced(slice, at) : null;
  const from = isOneOf(token.word, AFTER_STREET_NAME) ? firstOfName(slice, at) : at;
  const to = isOneOf(token.word, BEFORE_STREET_NAME) ? endOfName(slice, at) : at + 1;
  const isSure = token.shape === 'title' && isOneOf(token.word, SURE_STREETS);
  const named = from < at ? street(slice, from, at + 1, isSure) : null;
  const prefixed = to > at + 1 ? street(slice, at, to, false) : null;
  if (named !== null && prefixed !== null)
    return named.end - named.start > prefixed.end - prefixed.start ? named : prefixed;
  return named ?? prefixed ?? (isName ? announced(slice, at) : null);
}

/** `lives at Delta 116` */
const announced = (slice: Slice, at: number): Span | null =>
  isAfterPhrase(slice, at, BEFORE_ADDRESS, ANNOUNCED) ? street(slice, at, endOfName(slice, at), false) : null;

function isNameWord(slice: Slice, at: number): boolean {
  const { word, shape } = tokenAt(slice, at);
  if (shape === 'code') return false;
  return isOneOf(word, PARTICLES) || (slice.caseless ? !word.isStopWord : shape !== 'lower');
}

/** The index of the first word of the name that ends at word `at`. */
function firstOfName(slice: Slice, at: number): number {
  let from = at;
  while (at - from < MAX_WORDS && isJoined(slice, from) && isNameWord(slice, from - 1)) from -= 1;
  if (!slice.caseless) while (from < at && tokenAt(slice, from).shape === 'lower') from += 1;
  return from;
}

/** The index after the name that begins at word `at`. */
function endOfName(slice: Slice, at: number): number {
  let to = at + 1;
  while (to - at <= MAX_WORDS && isJoined(slice, to) && isNameWord(slice, to)) to += 1;
  return to;
}

/** Whether word `at` continues the one before. A full stop joins after an abbreviation only. */
function isJoined(slice: Slice, at: number): boolean {
  const { gap } = tokenAt(slice, at);
  const { word } = tokenAt(slice, at - 1);
  if (gap.startsWith('.') && word.length >= LEAST_WORD && !isOneOf(word, STREET_WORDS)) return false;
  // The prefix of a string literal.
  if (gap === "'" && word.length === 1) return false;
  return JOINT.test(gap);
}

/** The words with a house number before or after them. Only a sure street needs no number. */
function street({ text, tokens }: Slice, from: number, to: number, isSure: boolean): Span | null {
  const first = tokens[from];
  const last = tokens[to - 1];
  if (first === undefined || last === undefined) return null;
  const before = NUMBERS_BEFORE.exec(text.slice(Math.max(0, first.start - 24), first.start))?.[0] ?? '';
  const after = NUMBER_AFTER.exec(text.slice(last.end, last.end + 24))?.[0] ?? '';
  if (before === '' && after === '' && !isSure) return null;
  return { start: first.start - before.length, end: last.end + after.length };
}

function insideHouse(text: string, token: Token): Span | null {
  const number = INSIDE.exec(text.slice(token.end, token.end + 12))?.[0];
  return number === undefined ? null : { start: token.start, end: token.end + number.length };
}

/** The line above, or the words before, if they look like a street: a name and a number. */
function streetAbove(text: string, end: number): Span[] {
  const match = STREET_ABOVE.exec(text.slice(Math.max(0, end - 80), end));
  if (match?.[1] === undefined) return [];
  const start = end - match[1].length;
  return [{ start, end: start + match[1].replace(AFTER_WORDS, '').length }];
}

/**
 * Extends a street by the parts that follow: in a letter head on the same line, in a sentence also on the next. A
 * single town after it counts as a place of its own.
 */
function extended({ text, caseless }: Slice, span: Span): Span {
  const before = text.slice(Math.max(0, span.start - 24), span.start);
  const opensLine =
    (before.includes('\n') && OPENS_LINE.test(before)) ||
    (before.length === span.start && OPENS_TEXT.test(before));
  const continues = opensLine ? CONTINUES_IN_LINE : CONTINUES;
  let end = span.end;
  for (let parts = 0; parts < MAX_PARTS_AFTER; parts++) {
    const gap = continues.exec(text.slice(end, end + 6))?.[0] ?? '';
    if (gap === '') break;
    const part = (caseless ? PART_WITHOUT_CASE : PART).exec(
      text.slice(end + gap.length, end + gap.length + 40),
    )?.[0];
    if (part === undefined || (caseless && isStopWord(part))) break;
    const endsSentence = part.endsWith('.') && SENTENCE_END.test(part);
    end += gap.length + part.length - (endsSentence ? 1 : 0);
    if (endsSentence) break;
  }
  return TOWN_ALONE.test(text.slice(span.end, end)) ? span : { start: span.start, end };
}
