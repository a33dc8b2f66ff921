import { stem } from '../kernel/words.ts';
import type { Meaning } from './meaning.ts';
import { numberAt, type Window } from './moments.ts';
import { type NameReference, Phrases } from './phrases.ts';
import { MAX_TOKENS, type Token, tokensOf } from './tokens.ts';
import type { NameKind, Vocabulary } from './vocabulary.ts';
import { windowAt } from './windows.ts';

/**
 * A part of a question that is understood as one, or an unknown word. `gap`: a function word such as `with` stands
 * before it, so it does not describe what follows together with the piece before. `fillers`: the function words
 * directly before it, in order.
 */
export type Piece = { written: string; gap?: true; fillers: readonly string[] } & What;
type What =
  | { kind: 'phrase'; meaning: Meaning | null; names: readonly NameReference[] }
  | { kind: 'window'; window: Window }
  | { kind: 'number'; number: number }
  | { kind: 'words'; text: string }
  | { kind: 'unknown' };

/** A piece without its place. */
type Bare = Pick<Piece, 'written'> & What;

export type PhrasePiece = Extract<Piece, { kind: 'phrase' }>;

/** Whether a time without a verb is that of the thing directly before it: `files older than a year`, `files from 2023`. */
export const isOfThing = (piece: Piece): boolean =>
  piece.kind === 'window' && (piece.window.age === true || /^from/i.test(piece.written));

export type Correction = { from: string; to: string };

const LEXICON = Phrases.ofLexicon();
/** Words of dates and units are no slips of other words. */
const OF_TIME = new Set(
  `january february march april may june july august september october november december sunday monday tuesday
   wednesday thursday friday saturday hour day week month quarter year since before after until till during ago
   yesterday today older newer younger longer beginning start previous current this last past between from within`.split(
    /\s+/,
  ),
);
/** Function words that may stand between an adjective and its noun, or before both. */
const WITHOUT_GAP = new Set('a an the any all some every both currently still of'.split(' '));
/** Function words that change the meaning of what they stand beside, also at the end. */
export const ONLY: ReadonlySet<string> = new Set(['only', 'just']);
const MAX_WORDS_LENGTH = 200;

/** The pieces of a question without function words, and the words that were read as others. */
export function piecesOf(
  question: string,
  vocabulary: Vocabulary,
  now: number,
): { pieces: Piece[]; corrections: Correction[]; isCut: boolean } {
  const phrases = LEXICON.with(vocabulary);
  const { tokens, corrections } = corrected(tokensOf(question), phrases);
  const pieces: Piece[] = [];
  let at = 0;
  let isGap = false;
  let fillers: string[] = [];
  while (at < tokens.length) {
    const { piece, length } = pieceAt(tokens, at, phrases, now);
    at += length;
    if (isKind(piece, 'filler')) {
      const filler = piece.written.toLowerCase();
      fillers.push(...filler.split(' '));
      isGap ||= !WITHOUT_GAP.has(filler);
    } else {
      pieces.push({ ...piece, ...(isGap && { gap: true }), fillers });
      isGap = isKind(piece, 'not');
      fillers = [];
    }
  }
  // `Finance, HR, or Legal`: the word says how the comma joins.
  const isDoubled = (piece: Piece, at: number) =>
    piece.written === ',' && isKind(piece, 'join') && isKind(pieces[at + 1], 'join');
  const listed = pieces.filter((piece, at) => !isDoubled(piece, at));
  const only = fillers.find((word) => ONLY.has(word));
  if (only !== undefined) listed.push({ kind: 'unknown', written: only, fillers: [] });
  return { pieces: listed, corrections, isCut: tokens.length === MAX_TOKENS };
}

/** What a phrase of the lexicon of this kind means. Null for any other piece. */
export const meaningOf = <K extends Meaning['kind']>(
  piece: What | undefined,
  kind: K,
): Extract<Meaning, { kind: K }> | null =>
  piece?.kind === 'phrase' && piece.meaning?.kind === kind
    ? (piece.meaning as Extract<Meaning, { kind: K }>)
    : null;

export const isKind = (piece: What | undefined, kind: Meaning['kind']): boolean =>
  meaningOf(piece, kind) !== null;

/** Whether the piece may be a name of one of these kinds. */
export const isNamed = (
  piece: Piece | undefined,
  ...kinds: readonly (NameKind | undefined)[]
): piece is PhrasePiece => piece?.kind === 'phrase' && piece.names.some(({ kind }) => kinds.includes(kind));

function pieceAt(
  tokens: readonly Token[],
  at: number,
  phrases: Phrases,
  now: number,
): { piece: Bare; length: number } {
  const token = tokens[at] as Token;
  if (token.kind === 'quoted')
    return { piece: quotedPiece(token, phrases, isAfterText(tokens, at, phrases)), length: 1 };
  const phrase = phrases.at(tokens, at);
  const window = windowAt(tokens, at, now);
  if (window !== null && window.length >= (phrase?.length ?? 0)) {
    return {
      piece: { kind: 'window', window: window.value, written: writtenOf(tokens, at, window.length) },
      length: window.length,
    };
  }
  if (phrase !== null) {
    const { meaning, names, length } = phrase;
    return { piece: { kind: 'phrase', meaning, names, written: writtenOf(tokens, at, length) }, length };
  }
  const number = numberAt(tokens, at);
  if (number !== null) {
    return {
      piece: { kind: 'number', number: number.value, written: writtenOf(tokens, at, number.length) },
      length: number.length,
    };
  }
  return { piece: { kind: 'unknown', written: token.written }, length: 1 };
}

const writtenOf = (tokens: readonly Token[], at: number, length: number): string =>
  tokens
    .slice(at, at + length)
    .map(({ written }) => written)
    .join(' ');

/** Whether `about` and the like stand before a token. */
const isAfterText = (tokens: readonly Token[], at: number, phrases: Phrases): boolean =>
  phrases.at(tokens, at - 1)?.meaning?.kind === 'text';

/** A quoted name is that name. All other quoted text is searched for. */
function quotedPiece({ text, written }: Token, phrases: Phrases, isText: boolean): Bare {
  const inner = tokensOf(text);
  const phrase = isText ? null : phrases.at(inner, 0);
  if (phrase !== null && phrase.names.length > 0 && phrase.length === inner.length)
    return { kind: 'phrase', meaning: null, names: phrase.names, written };
  return inner.length === 0
    ? { kind: 'unknown', written }
    : { kind: 'words', text: text.slice(0, MAX_WORDS_LENGTH), written };
}

/** Replaces unknown words by what was probably meant. */
function corrected(
  tokens: readonly Token[],
  phrases: Phrases,
): { tokens: Token[]; corrections: Correction[] } {
  const corrections: Correction[] = [];
  const read = tokens.map((token, at): Token => {
    const isOfTime = OF_TIME.has(token.text) || OF_TIME.has(stem(token.text));
    if (phrases.isKnown(token) || isOfTime || numberAt(tokens, at) !== null) return token;
    const to = phrases.correction(token);
    if (to === null) return token;
    corrections.push({ from: token.written, to });
    return { ...token, text: to };
  });
  return { tokens: read, corrections };
}
