import type { Detector } from '../../../../core/detectors/detector.ts';

/** Each is the worst case of some shape of pattern: long runs, near misses, nested starts, gates that never close. */
const PIECES: Readonly<Record<string, string>> = {
  digits: '7',
  letters: 'a',
  capitals: 'A',
  dashes: '-',
  dots: '.',
  colons: ':',
  spaces: ' ',
  lines: '\n',
  quotes: '"',
  underscores: '_',
  at: 'a@',
  'at alone': '@',
  labels: 'a.',
  'labels of an address': `a@${'a.'.repeat(30)}`,
  'dashed labels': `a@${'a-'.repeat(30)}`,
  'digits and spaces': '1 ',
  'digits and dashes': '1-',
  'digits and dots': '1.',
  'digits and commas': '1,',
  'digits and slashes': '1/',
  'pairs of digits': '12 34-',
  'hexadecimal groups': 'a1:',
  'capitals and digits': 'A1',
  'letters and digits': 'a1 ',
  'area codes': 'call (123) ',
  'plus signs': '+1 ',
  brackets: '(((',
  'key headers': '-----BEGIN ',
  'key words': 'PRIVATE KEY',
  'token starts': 'eyJ',
  'token parts': 'eyJaaaaaaaaaaaaaa.',
  'key prefixes': 'sk_live_sk-proj-xoxb-AKIA',
  'URL starts': 'http://a:',
  'URLs with closing brackets': `http://a.b${')'.repeat(490)} `,
  'escaped quotation marks': '\\"a\\n',
  assignments: 'password=api_key=',
  'bank groups': 'GB29 NWBK ',
  'bank groups that do not end': 'DE89 3704 0044 0532 ',
  'birth words': 'born 1 ',
  amounts: 'salary 1,111 ',
  'two columns': 'a\t1\n',
  'a table without rows': 'name;ssn\n',
  'a million columns': 'ssn,',
  'values in a million columns': '308-63-0237,',
  'words of context': 'social security number ',
  'words of context in camel case': 'SocialSecurityNumber',
  'letters beyond ASCII': 'ü',
  'spaces beyond ASCII': '1\u00a0',
  'half surrogates': '\ud83d',
  'swapped surrogates': '\udc00\ud800',
  'full-width digits': '１２',
  'combining marks': 'e\u0301',
  'zero width': '1\u200b',
  mixture: '1.1-1 1/1(1)',
};

export const fill = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** The matrix for any detector, by name, each text of `length` characters. */
export const hostileTexts = (length: number): [name: string, text: string][] =>
  Object.entries(PIECES).map(([name, piece]) => [name, fill(piece, length)]);

/** What almost is one of a detector's own values: examples without their end, without what divides them, over and over. */
export function nearMisses({ examples }: Detector, length: number): [name: string, text: string][] {
  return [...examples.hits, ...examples.misses].flatMap((example, i): [string, string][] => [
    [`example ${i}, over and over`, fill(`${example} `, length)],
    [`example ${i}, without what divides them`, fill(example, length)],
    [`example ${i}, without its end`, fill(`${example.slice(0, -1)} `, length)],
    [`example ${i}, its second half`, fill(example.slice(Math.floor(example.length / 2)) || ' ', length)],
  ]);
}
