import { CAPITALIZED_WORDS, ORGANIZATION_WORDS } from './cues.ts';
import { overlapping, type Span } from './spans.ts';
import type { Slice, Token } from './tokens.ts';
import { isOneOf } from './word.ts';

/** Most lines read above and below the street. */
const MAX_LINES = 4;
const LONGEST_LINE = 80;
const MAX_WORDS = 7;
/** Quotation marks, bullets and white space before the words of a line. */
const BEFORE_WORDS = /^[^\p{L}\p{N}]{0,12}/u;
/** Only words and numbers, without the end of a sentence. */
const WORDS_ONLY = /^[\p{L}\p{N}\p{M} &.,'’+()-]{0,80}[\p{L}\p{N})]\s?$/u;
const COMPANY_END = /\b(?:inc|ltd|co|corp|llc|s\.a|b\.v|s\.r\.l|s\.p\.a)\.$/i;
const TOWN =
  /^(?:[A-Z]{1,2}-)?(?:\d{3,6}(?: ?[A-Z]{2})?,? )?([^\d,]{2,48}?)(?:,? [A-Z]{2})?(?:,? [A-Z\d-]{3,10})?\s?$/;
const POSTAL_CODE = /^\d{3,6}(?: ?[A-Z]{2})?(?= )|(?<= )\d{4,6}(?:-\d{3,4})?$/;

type Line = Span & { readonly tokens: readonly Token[] };

/**
 * Finds what surrounds the street in a letter head or a mail signature: above it the name of an organization, unless
 * the line is a person or a job title, and below it the town, the country and the postal code. The postal code
 * belongs to the address.
 */
export function readLetterHeads(
  { text, tokens }: Slice,
  addresses: readonly Span[],
  people: readonly Span[],
): { place: Span[]; organization: Span[]; address: Span[] } {
  const found = { place: [] as Span[], organization: [] as Span[], address: [] as Span[] };
  const lines = linesOf(text, tokens);
  const addressOf = lines.map((line) => overlapping(addresses, line));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const address = addressOf[at];
    if (line === undefined || address === undefined || Math.abs(address.start - line.start) > 4) continue;
    if (addressOf[at - 1] === undefined)
      found.organization.push(...organizationAbove(text, lines, at, people));
    if (addressOf[at + 1] !== undefined) continue;
    const { towns, codes } = townsBelow(text, lines, at);
    found.place.push(...towns);
    found.address.push(...codes);
  }
  return found;
}

function linesOf(text: string, tokens: readonly Token[]): Line[] {
  const lines: { start: number; end: number; tokens: Token[] }[] = [];
  for (const token of tokens) {
    const last = lines.at(-1);
    if (last !== undefined && token.start < last.end) last.tokens.push(token);
    else {
      const start = text.lastIndexOf('\n', token.start) + 1;
      const to = text.indexOf('\n', token.end);
      const lineEnd = to === -1 ? text.length : to;
      const end = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
      const indent = BEFORE_WORDS.exec(text.slice(start, start + 12))?.[0].length ?? 0;
      lines.push({ start: start + indent, end, tokens: [token] });
    }
  }
  return lines;
}

function organizationAbove(
  text: string,
  lines: readonly Line[],
  at: number,
  people: readonly Span[],
): Span[] {
  for (let above = at - 1; above >= Math.max(0, at - MAX_LINES); above--) {
    const line = lines[above];
    if (line === undefined || !isLabel(text, line) || gapBelow(text, lines, above) > 2) return [];
    const last = line.tokens.at(-1);
    const isCompany = last !== undefined && isOneOf(last.word, ORGANIZATION_WORDS);
    const person = overlapping(people, line);
    if (!isCompany && person !== undefined && person.end - person.start > (line.end - line.start) / 3)
      continue;
    if (line.tokens.some(({ word }) => word.kind === 'role')) continue;
    return [{ start: line.start, end: line.end }];
  }
  return [];
}

function townsBelow(text: string, lines: readonly Line[], at: number): { towns: Span[]; codes: Span[] } {
  const towns: Span[] = [];
  const codes: Span[] = [];
  for (let below = at + 1; below < Math.min(lines.length, at + MAX_LINES); below++) {
    const line = lines[below];
    if (line === undefined || gapBelow(text, lines, below - 1) > 2) break;
    const content = text.slice(line.start, Math.min(line.end, line.start + LONGEST_LINE));
    const town = TOWN.exec(content);
    if (town?.[1] === undefined || !hasNoSentence(content, line)) break;
    const start = line.start + content.indexOf(town[1]);
    towns.push({ start, end: start + town[1].trimEnd().length });
    const code = POSTAL_CODE.exec(content);
    if (code !== null)
      codes.push({ start: line.start + code.index, end: line.start + code.index + code[0].length });
    if (line.tokens.some(({ word }) => word.kind === 'place')) break;
  }
  return { towns, codes };
}

const gapBelow = (text: string, lines: readonly Line[], at: number): number =>
  text.slice(lines[at]?.end, lines[at + 1]?.start).split('\n').length - 1;

/** A short line of capitalised words that does not end a sentence. In a text without capitals, any short line. */
const isLabel = (text: string, line: Line): boolean => {
  const content = text.slice(line.start, Math.min(line.end, line.start + LONGEST_LINE));
  return !/\d{3,}/.test(content) && hasNoSentence(content, line);
};

const hasNoSentence = (content: string, line: Line): boolean =>
  content.length < LONGEST_LINE &&
  line.tokens.length <= MAX_WORDS &&
  line.tokens.every(({ word }) => !isOneOf(word, CAPITALIZED_WORDS)) &&
  WORDS_ONLY.test(content.replace(COMPANY_END, ''));
