import { COMMON, ENDINGS, TRANSLATED } from './lexicon-of-languages.ts';
import { type Token, tokensOf } from './tokens.ts';

type Read = (tokens: readonly Token[], from: number) => number;
type Phrases = ReadonlyMap<string, readonly { words: readonly string[]; english: string }[]>;

/** Every phrase of a language with its endings, by its first word. */
function indexOf(endings: readonly string[], language: number): Phrases {
  const all = TRANSLATED.trim()
    .split(/; |\n/)
    .flatMap((line) => {
      const [english = '', ...others] = line.split(/ = ?/);
      return (others[language] ?? '').split('|').map((phrase) => ({ english, phrase: phrase.trim() }));
    })
    .filter(({ phrase }) => phrase !== '')
    .flatMap(({ english, phrase }) =>
      withEndings(phrase.split(' '), endings).map((words) => ({ words, english })),
    );
  const byFirst = Map.groupBy(all, ({ words: [first = ''] }) => first);
  for (const same of byFirst.values()) same.sort((a, b) => b.words.length - a.words.length);
  return byFirst;
}

/** A phrase with each ending of each of its words. */
const withEndings = ([word = '', ...more]: string[], endings: readonly string[]): string[][] => {
  const forms = word.endsWith('~') ? endings.map((each) => word.slice(0, -1) + each) : [word];
  const after = more.length === 0 ? [[]] : withEndings(more, endings);
  return forms.flatMap((form) => after.map((words) => [form, ...words]));
};

const LANGUAGES = ENDINGS.map(indexOf);

/**
 * The tokens of a question as each other language reads them, in English. A token keeps how it is written.
 * @param nameAt how many tokens a name at a place takes, which is not translated
 */
export const translations = (question: string, nameAt: Read): Token[][] => {
  // `l’étiquette` is two words.
  const tokens = tokensOf(question.replace(/(?<![\p{L}\p{N}])(l|d|qu|n|s)['’]/giu, '$1 '));
  return LANGUAGES.flatMap((phrases) => {
    const read = translated(tokens, phrases, nameAt);
    return read.length === 0 ? [] : [read];
  });
};

function translated(tokens: readonly Token[], phrases: Phrases, nameAt: Read): Token[] {
  const read: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const named = nameAt(tokens, at);
    const found = phrases
      .get(token.text)
      ?.find(({ words }) => words.every((word, i) => tokens[at + i]?.text === word));
    if (named > 0 || found === undefined) {
      // A word of no more than another language makes it no question in this one.
      const isKept = named > 0 || token.kind !== 'word' || COMMON.has(token.text);
      read.push(
        ...(isKept ? tokens.slice(at, at + Math.max(named, 1)) : [{ ...token, text: `?${token.text}` }]),
      );
      at += Math.max(named, 1);
      continue;
    }
    const written = tokens
      .slice(at, at + found.words.length)
      .map((each) => each.written)
      .join(' ');
    read.push(...tokensOf(found.english).map((each, i) => ({ ...each, written: i === 0 ? written : '' })));
    at += found.words.length;
  }
  return read;
}
