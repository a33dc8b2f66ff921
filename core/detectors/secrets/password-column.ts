import { defineDetector, type Find, type Reading } from '../detector.ts';
import { valuesInColumns } from '../engine/column-values.ts';
import { aloneIn, mayBePassword } from './secret-value.ts';

const HEADER =
  /^(?:[\p{L}_ -]{0,20}[_ -])?(?:pass(?:word|wort|wd|phrase)|pwd?|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło)$/iu;
const CELL = /[^\t;|,"\r\n]{5,128}/g;

function* find(reading: Reading, windows: readonly number[]): Generator<Find> {
  for (const { start, value } of valuesInColumns(reading, windows, (said) => HEADER.test(said), CELL)) {
    const alone = aloneIn(value);
    if (alone.includes(' ') || !mayBePassword(alone)) continue;
    const from = start + value.indexOf(alone);
    yield { start: from, end: from + alone.length, verdict: 'shape' };
  }
}

/** Lists of accounts: the word for a password is only in the header, not beside the value. */
export const passwordColumn = defineDetector({
  id: 'password_column',
  version: 2,
  family: 'secret',
  title: 'Password in a column of passwords',
  gate: {
    kind: 'literals',
    literals: [
      ...['assw', 'ASSW', 'assphrase', 'ASSPHRASE', 'pwd', 'Pwd', 'PWD', 'ennwort', 'ENNWORT'],
      ...['ot de passe', 'ontrase', 'ONTRASE', 'enha', 'ENHA', 'achtwoord', 'ACHTWOORD', 'as\u0142o', 'aslo'],
    ],
    reach: 0,
  },
  find,
  context: [
    'password',
    'passwords',
    'passwort',
    'kennwort',
    'pwd',
    'mot de passe',
    'senha',
    'wachtwoord',
    'haslo',
  ],
  confidence: { context: 0.85 },
  examples: {
    hits: [
      'user,password\nanna,Winter2024!\nomar,Gu9-kd.Ls',
      'Konto;Passwort\nanna;Sommer#7',
      'id\tname\tinitial password\n1\tanna\tKj8$mm2p',
    ],
    misses: [
      'user,password\nanna,required\nomar,required',
      'user,password\nanna,********',
      'user,note\nanna,Winter2024!',
      'user,password changed\nanna,12.05.2024',
      'password Winter2024!',
    ],
  },
});
