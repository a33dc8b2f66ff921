import { defineDetector, type Find, type Reading } from '../detector.ts';
import { aloneIn, mayBePassword, mayBeWords } from './secret-value.ts';

const WORD = `[^\\s"'\`;,<>\\\\|&]{4,128}`;
const ONE = `(?:"([^"\\n]{4,128})"|'([^'\\n]{4,128})'|(${WORD}))`;
const QUOTED = `(?:"([^"\\n]{4,128})"|'([^'\\n]{4,128})')`;
const USER = '[\\w.@$\\\\-]{1,64}';

/** Statements and commands that take a password. The groups of each are its value, of which one matches. */
const COMMANDS: readonly RegExp[] = [
  // SQL of Oracle, MySQL, PostgreSQL and SQL Server.
  `\\bIDENTIFIED (?:WITH '?\\w{1,40}'? )?(?:BY|AS) (?:PASSWORD )?${ONE}`,
  `\\b(?:WITH|LOGIN|USER|ROLE|ENCRYPTED|\\w{1,60}) PASSWORD ${QUOTED}`,
  `\\bPASSWORD ?\\( ?${QUOTED} ?\\)`,
  // PowerShell.
  `\\bConvertTo-SecureString (?:-AsPlainText )?(?:-Force )?(?:-String )?${QUOTED}`,
  // A user and a password with a colon between them.
  `\\b(?:curl|wget)\\b(?:[^\\n\\\\]|\\\\\\n|\\\\){0,200}? (?:-u|--user|--auth|-a)[ =]?(?:"(?:${USER})?:([^"\\n]{4,128})"|'(?:${USER})?:([^'\\n]{4,128})'|${USER}:(${WORD}))`,
  // Windows, `.netrc`, and arguments of programs.
  `\\bnet use [^\\n]{1,120}? /user:\\S{1,80} ${ONE}`,
  `\\bnet user \\S{1,80} ${ONE} /add`,
  `\\blogin \\S{1,80}\\s{1,8}password ${ONE}`,
  `\\bsshpass -p ?${ONE}`,
  `\\b(?:docker|podman|helm registry|az|oc|skopeo) login\\b[^\\n]{0,160}? -p ${ONE}`,
  `\\b(?:mysql|mysqldump|mysqladmin|mariadb)\\b[^\\n]{0,160}? -p${ONE}`,
  `(?<=\\s)--?(?:db-|admin-|user-|root-|http-)?(?:password|passwd|pass|Password|storepass|keypass|requirepass)[ =]${ONE}`,
  `\\bopenssl\\b[^\\n]{0,160}? -pass(?:in|out)? pass:(${WORD})`,
  `\\brequirepass ${ONE}`,
  `\\becho ["']?${USER}:(${WORD})["']? ?\\| ?(?:sudo )?chpasswd`,
].map((source) => new RegExp(source, 'gid'));

/** Words in quotation marks that a program assigns. With a digit, they are found as a setting. */
const ASSIGNED_WORDS = new RegExp(
  `\\b\\w{0,40}(?:password|passwd|passphrase|pwd)["'\`]?\\]? {0,3}:?= {0,3}${QUOTED}`,
  'gid',
);

const INSERT = /\bINSERT INTO [\w."`[\]]{1,120} ?\(([^()]{1,600})\) ?VALUES ?(?=\()/gi;
const ROW = /\(((?:'(?:[^'\n]|''){0,300}'|[^'()\n]){1,2000})\)[,;\s]{0,8}/y;
const CELL = / {0,4}(?:'((?:[^']|''){0,300})'|[^',]{0,300})(?:,|$)/dy;
const COLUMN = /^[["`]?(?:\w{0,30}_)?(?:pass(?:word|wd|phrase|wort)?|pwd|kennwort|passwordhash)[\]"`]?$/i;
const MAX_ROWS = 2_000;
/** Characters of the names of columns, before which a statement begins. */
const MAX_NAMES = 600;

type Span = { start: number; end: number };

const isValue = (value: string): boolean => !/\s/.test(value) && mayBePassword(value);

/** The values of a statement that inserts rows, in the columns of passwords. */
function* inserted(text: string, from: number, to: number): Generator<Span> {
  const first = Math.max(0, from - MAX_NAMES);
  for (const insert of text.slice(first, to).matchAll(INSERT)) {
    const columns = (insert[1] ?? '').split(',').map((name) => COLUMN.test(name.trim()));
    if (!columns.includes(true)) continue;
    ROW.lastIndex = first + insert.index + insert[0].length;
    for (let rows = 0; rows < MAX_ROWS; rows++) {
      const start = ROW.lastIndex + 1;
      const row = ROW.exec(text)?.[1];
      if (row === undefined) break;
      CELL.lastIndex = 0;
      for (const isPassword of columns) {
        const cell = CELL.exec(row);
        const [cellStart, cellEnd] = cell?.indices?.[1] ?? [0, 0];
        if (cell === null) break;
        if (isPassword && isValue(row.slice(cellStart, cellEnd)))
          yield { start: start + cellStart, end: start + cellEnd };
      }
    }
  }
}

/** The values of commands. */
function* passed(text: string, from: number, to: number): Generator<Span> {
  const window = text.slice(from, to);
  for (const command of [...COMMANDS, ASSIGNED_WORDS]) {
    const isPassword = command === ASSIGNED_WORDS ? mayBeWords : isValue;
    for (const match of window.matchAll(command)) {
      const [start, end] = match.indices?.slice(1).find((group) => group !== undefined) ?? [0, 0];
      if (isPassword(window.slice(start, end))) yield { start: from + start, end: from + end };
    }
  }
}

function* find({ text }: Reading, windows: readonly number[]): Generator<Find> {
  const found: Span[] = [];
  for (let i = 0; i + 1 < windows.length; i += 2) {
    const [from = 0, to = 0] = windows.slice(i, i + 2);
    found.push(...passed(text, from, to), ...inserted(text, from, to));
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let last = 0;
  for (const span of found) {
    if (span.start < last) continue;
    const written = text.slice(span.start, span.end);
    const value = aloneIn(written);
    const start = span.start + written.indexOf(value);
    last = start + value.length;
    yield { start, end: last, verdict: 'shape' };
  }
}

/** Commands and statements have no sign of assignment between the word for a password and the password. */
export const commandPassword = defineDetector({
  id: 'command_password',
  version: 2,
  family: 'secret',
  title: 'Password in a command or a statement of SQL',
  gate: {
    kind: 'literals',
    literals: [
      ...['IDENTIFIED ', 'identified ', 'Identified ', 'assword', 'ASSWORD', 'SecureString', 'securestring'],
      ...['curl ', 'wget ', 'net use ', 'NET USE ', 'net user ', 'sshpass', ' login '],
      ...[
        'mysql',
        'mariadb',
        'passwd',
        '-pass ',
        '-pass=',
        'storepass',
        'keypass',
        'requirepass',
        'openssl ',
      ],
      ...['passin ', 'passout ', '(pass', ' pwd', '_pwd', 'ennwort'],
    ],
    reach: 260,
  },
  find,
  context: [],
  confidence: { pattern: 0.85 },
  examples: {
    hits: [
      "CREATE USER 'app'@'%' IDENTIFIED BY 'Gu9kdLs2';",
      "ALTER ROLE app WITH LOGIN PASSWORD 'Gu9kdLs2';",
      "INSERT INTO users (email, password) VALUES ('ann@example.com', 'Gu9kdLs2'), ('bo', 'Kj8mm2p');",
      '$p = ConvertTo-SecureString -String "Gu9kdLs2!" -AsPlainText -Force',
      'curl -u "bob:Gu9kdLs2" https://api.example.com/x',
      'curl --user bob:Gu9kdLs2 https://api.example.com/x',
      'net use Z: \\\\files\\share /user:corp\\bob Gu9kdLs2',
      'machine api.example.com login bob password Gu9kdLs2',
      "sshpass -p 'Gu9kdLs2' ssh bob@host",
      'mysql -h db -u root -pGu9kdLs2 shop',
      'backup --password Gu9kdLs2 --all',
      'docker login -u bob -p Gu9kdLs2 registry.example.com',
      'db_password="horse-battery"',
    ],
    misses: [
      'IDENTIFIED BY a number of 12 digits',
      'WITH PASSWORD EXPIRE INTERVAL 90 DAY',
      "IDENTIFIED BY '<password>'",
      "INSERT INTO users (email, note) VALUES ('ann@example.com', 'Gu9kdLs2')",
      'curl -u "$USER:$PASSWORD" https://api.example.com/x',
      'ConvertTo-SecureString $plain -AsPlainText -Force',
      'net use Z: /delete',
      'login bob password required',
      'tool --password-file /run/secrets/db1',
      'mysql -p shop',
      'password = "change-on-first-login"',
      'password = not-quoted',
    ],
  },
});
