import { defineDetector, type Find, type Reading } from '../detector.ts';
import type { Table } from '../engine/columns.ts';
import { aloneIn, mayBePassword } from './secret-value.ts';

const HEADER =
  /^(?:[\p{L}_ -]{0,20}[_ -])?(?:pass(?:word|wort|wd|phrase)|pwd?|kennwort|mot de passe|contraseña|senha|wachtwoord|hasło)$/iu;
/** Most characters from the name in a table header to the first row. */
const LONGEST_HEADER = 1_000;
const CELL = /[^\t;|,"\r\n]{5,128}/g;

function* find({ text, tables, doubtful }: Reading, windows: readonly number[]): Generator<Find> {
  const { cellAt } = tables;
  const found = new Set<Table>();
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const [from = 0, to = 0] = windows.slice(i, i + 2);
    for (const table of tables.tablesIn(from, to + LONGEST_HEADER)) found.add(table);
  }
  for (const table of found) {
    const isPassword = (said = '') => HEADER.test(said.trim());
    const columns = new Set(
      table.header.flatMap((name, i) => (isPassword(name) || isPassword(table.remarks[i]) ? [i] : [])),
    );
    if (columns.size === 0) continue;
    for (const match of text.slice(table.start).matchAll(CELL)) {
      const start = table.start + match.index;
      const cell = cellAt(start);
      if (cell?.table !== table) {
        // A row may be too long to be read, and so are the rows after it.
        if (lineLength(text, start) > LONGEST_HEADER) doubtful(start, text.length);
        break;
      }
      const value = aloneIn(match[0]);
      if (!columns.has(cell.column) || value.includes(' ') || !mayBePassword(value)) continue;
      const from = start + match[0].indexOf(value);
      yield { start: from, end: from + value.length, verdict: 'shape' };
    }
  }
}

/** Up to more than `LONGEST_HEADER` characters. */
const lineLength = (text: string, start: number): number =>
  text.slice(start, start + LONGEST_HEADER + 1).split('\n', 1)[0]?.length ?? 0;

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
