import { fold } from '../kernel/words.ts';

/**
 * A word, number or sign of a question. `text` is what is compared: folded, and without the `s` of a genitive.
 * `written` is how it is written in the question.
 */
export type Token = {
  kind: 'word' | 'number' | 'date' | 'quoted' | 'address' | 'sign';
  text: string;
  written: string;
};

/** Signs that mean something. All other characters only separate words. */
const TOKEN =
  /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|(\d{4}-\d{2}-\d{2})(?![\p{L}\p{N}])|(\d+(?:[.,]\d+)*(?!\d)(?!(?:st|nd|rd|th)(?![\p{L}\p{N}])))|((?:[\p{L}\p{N}._%+-]+@)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?![\p{L}\p{N}])|([\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?)|(!=|<>|≠|!(?=\p{L})|<=|>=|≤|≥|<|>|=|%|\+|,)/giu;
const SIGNS = new Map([
  ['≤', '<='],
  ['≥', '>='],
  ['≠', '!='],
  ['<>', '!='],
  ['!', '!='],
]);
const NOT = /n['’]t$/i;
const SHORTENED = new Map([
  ['ca', 'can'],
  ['wo', 'will'],
]);
/** In English one and a half with three digits, elsewhere fifteen hundred. */
const AMBIGUOUS = /^\d{1,3}(?:\.\d{3})+$/;
const GENITIVE = /['’]\p{L}{0,2}$/u;
/** More are not read: nobody asks so much in one question. */
export const MAX_TOKENS = 400;

/** The tokens of a question, in order. */
export function tokensOf(question: string): Token[] {
  const tokens: Token[] = [];
  for (const [written, ...parts] of question.normalize('NFC').matchAll(TOKEN)) {
    const [straight, curly, low, date, number, address, word, sign] = parts;
    const quoted = straight ?? curly ?? low;
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted.trim(), written });
    else if (date !== undefined) tokens.push({ kind: 'date', text: date, written });
    else if (number !== undefined && AMBIGUOUS.test(number))
      tokens.push({ kind: 'word', text: number, written });
    else if (number !== undefined) tokens.push({ kind: 'number', text: plainNumber(number), written });
    else if (address !== undefined) tokens.push({ kind: 'address', text: address.toLowerCase(), written });
    else if (word !== undefined) tokens.push(...wordTokens(word));
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: signText(sign), written });
    if (tokens.length >= MAX_TOKENS) break;
  }
  return tokens.slice(0, MAX_TOKENS);
}

/** `haven't`, `can't` and `cannot` are two words. */
function wordTokens(written: string): Token[] {
  if (NOT.test(written)) {
    const verb = written.replace(NOT, '');
    return [
      { kind: 'word', text: SHORTENED.get(fold(verb)) ?? fold(verb), written: verb },
      { kind: 'word', text: 'not', written },
    ];
  }
  if (written.toLowerCase() === 'cannot') {
    return [
      { kind: 'word', text: 'can', written: 'can' },
      { kind: 'word', text: 'not', written: 'not' },
    ];
  }
  const text = fold(written.replace(GENITIVE, ''));
  return text === '' ? [] : [{ kind: 'word', text, written }];
}

const signText = (sign: string): string => SIGNS.get(sign) ?? sign;

/** `1,000` and `1.5` as JavaScript writes numbers; a comma before three digits separates thousands. */
const plainNumber = (written: string): string => {
  const grouped = written.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(',', '.');
  return Number.isFinite(Number(grouped)) ? String(Number(grouped)) : written;
};
