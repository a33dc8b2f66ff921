import { fold } from '../../kernel/words.ts';
import { token } from '../checks/token.ts';
import { defineDetector, type Verdict } from '../detector.ts';

/** The first letters of month names, folded, in eight languages. Three letters identify a month, in some cases four. */
const MONTH = '[A-Za-z\\u00c0-\\u017f]{3,12}';
const MONTHS =
  /^(?:jan|feb|fev|mar|maa|mrz|apr|avr|abr|kwi|mai|may|mei|maj|mag|jun|juin|giu|cze|jul|juil|lug|lip|aug|aou|ago|sie|sep|set|wrz|oct|okt|out|ott|paz|nov|lis|gen|ene|sty|lut|kwi|dec|dez|dic|gru)/;
const NAMED = /[^\d\s./,-]{3,}/;

function judge(match: string): Verdict {
  const numbers = match.match(/\d{1,4}/g)?.map(Number) ?? [];
  const year = numbers.find((number) => number > 31) ?? 0;
  const month = NAMED.test(match) ? NAMED.exec(match.replace(/\b(?:de|del|of)\b/gi, ''))?.[0] : undefined;
  const small = numbers.filter((number) => number !== year);
  const dayAndMonth =
    month === undefined
      ? small.length === 2 && small.some((number) => number <= 12)
      : small.length === 1 && MONTHS.test(fold(month));
  return dayAndMonth && small.every((number) => number >= 1 && number <= 31) ? 'shape' : 'no';
}

const YEAR = '(?:18[89]\\d|19\\d{2}|20[0-4]\\d)';
const SMALL = '[0-3]?\\d';

export const birthDate = defineDetector({
  id: 'date_of_birth',
  version: 1,
  family: 'birth_date',
  title: 'Date of birth',
  gate: { kind: 'digits', least: 4, reach: 32 },
  patterns: [
    { regex: token(`${SMALL}([./-])${SMALL}\\1(?:${YEAR}|[3-9]\\d)`), context: 'required' },
    { regex: token(`${YEAR}([./-])[01]?\\d\\1${SMALL}`), context: 'required' },
    {
      regex: token(`${SMALL}(?:st|nd|rd|th|er|\\.)? (?:de |of )?${MONTH}\\.?,? (?:de |del )?${YEAR}`),
      context: 'required',
    },
    { regex: token(`${MONTH}\\.? ${SMALL}(?:st|nd|rd|th)?,? ${YEAR}`), context: 'required' },
  ],
  context: [
    ...[
      'date of birth',
      'birth date',
      'birthdate',
      'dob',
      'd o b',
      'born',
      'birthday',
      'geburtsdatum',
      'geboren',
    ],
    ...['geb', 'geburtstag', 'date de naissance', 'ne le', 'nee le', 'naissance', 'fecha de nacimiento'],
    ...['nacido', 'nacida', 'nacimiento', 'data di nascita', 'nato', 'nata', 'nato il', 'nascita'],
    ...['data de nascimento', 'nascimento', 'nascido', 'nascida', 'geboortedatum', 'geboorte'],
    ...['data urodzenia', 'urodzony', 'urodzona', 'ur'],
  ],
  judge,
  confidence: { context: 0.85 },
  examples: {
    hits: [
      'She was born on 2/7/1961.',
      'DOB: 1984-12-03',
      'Geburtsdatum 03.12.1984',
      'né le 3 décembre 1984',
      'date of birth: March 12, 1980',
      'fecha de nacimiento 3 de diciembre de 1984',
      'name,date_of_birth\nA,1984-12-03',
    ],
    misses: ['2/7/1961', 'stubborn 2/7/1961', 'born in 1961', 'DOB: 45/45/1961', 'DOB 12.12.12.1984'],
  },
});
