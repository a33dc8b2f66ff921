/** Words of secrets that are in instructions, examples and lists of common passwords. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a an the my our your this is it not me please here there now for of to in be and so very super top long short ' +
    'change changeit changeme changethis replace replaceme set todo fixme insert enter put fill default example sample ' +
    'dummy placeholder test testing tests demo dev develop development local localhost prod production staging stage ' +
    'only temp temporary random string text value secret secrets supersecret topsecret session sessions cookie cookies ' +
    'sign signing signed key keys secretkey sessionsecret token tokens password passwords passwort passwd pass ' +
    'passphrase pwd pw kennwort geheim geheimnis admin administrator root user guest owner service server app ' +
    'application website site api auth jwt hmac svc company welcome willkommen letmein iloveyou monkey dragon football ' +
    'baseball master login hello world abc abcd abcde abcdef xyz foo bar baz foobar qwerty qwertz azerty qwertyuiop ' +
    'qwertzuiop azertyuiop asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm yxcvbnm trustno sunshine princess shadow superman ' +
    'batman hunter bit bits keyboard cat correcthorsebatterystaple unsafe insecure notsecret nosecret unknown none null'
  ).split(' '),
);
const LONGEST_COMMON = Math.max(...[...COMMON].map((word) => word.length));
/** Digits and marks that stand for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};
/** Bits: fewer than those of 8 characters with four different ones among them. */
const LEAST_BITS = 16;
/** Bits that digits and marks beside common words need. */
const ENOUGH_BESIDE = 40;

/**
 * Whether somebody who tries common secrets finds this one: it is made of common words, repeats itself, counts, or has
 * few different characters. The length is another rule.
 */
export function isWeakSecret(secret: string): boolean {
  const unit = repeatedUnit(secret);
  const read = unit.replace(/[013457@$]/g, (mark) => LETTERS[mark] ?? mark);
  return [unit, read].some(isOfCommonWords) || bits(unit) < LEAST_BITS;
}

/** `abc` of `abcabcabc`, else the text itself. */
function repeatedUnit(text: string): string {
  const length = (text + text).indexOf(text, 1);
  return text.slice(0, length);
}

function isOfCommonWords(text: string): boolean {
  const words = text
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
  const isCommon = words.every(isMadeOfCommon) || isMadeOfCommon(words.join(''));
  return words.length > 0 && isCommon && bits(text.replace(/\p{L}/gu, '')) < ENOUGH_BESIDE;
}

/** Whether a word is a common one, or several without a separator. */
function isMadeOfCommon(word: string): boolean {
  // Where a common word can begin.
  const begins = new Set([0]);
  for (let at = 0; at < word.length; at++) {
    if (!begins.has(at)) continue;
    for (let end = at + 1; end <= Math.min(word.length, at + LONGEST_COMMON); end++)
      if (COMMON.has(word.slice(at, end))) begins.add(end);
  }
  return begins.has(word.length);
}

/** Shannon entropy, in which a character that follows from the two before it does not count: `1234`, `aaaa`, `9753`. */
function bits(text: string): number {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const surprising = codes.filter((code, i) => {
    const [before = Number.NaN, first = Number.NaN] = [codes[i - 1], codes[i - 2]];
    return code !== before && code - before !== before - first;
  });
  const counts = new Map<number, number>();
  for (const code of surprising) counts.set(code, (counts.get(code) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= count * Math.log2(count / surprising.length);
  return sum;
}
