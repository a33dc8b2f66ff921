import { defineDetector } from '../detector.ts';
import { aloneIn, isExpression, isPlaceholder, looksRandom, mayBePassword } from './secret-value.ts';

const GAP = '[ \\t\\u00a0]{0,3}';
/** An object, a list of settings, a Terraform block and a property list have the value under a name of its own. */
const APART = [
  `["'],\\s{0,12}["']?(?:value|default)["']?${GAP}[:=]`,
  '\\s{1,12}value:',
  `["'] ?\\{\\s{1,12}(?:(?:type|description|sensitive) {0,12}= {0,3}[^\\n]{1,60}\\n {1,8}){0,3}default {0,12}=`,
  '</key>\\s{0,12}<string>',
].join('|');
/** A variable that is used if it is set, before the value for all other cases: `= env.KEY || "`, `ENV['KEY'] || "`. */
const UNLESS = `(?:=[^"'\`\\n=]{1,60}|["'][\\])]${GAP})(?:\\|\\||\\?\\?)`;
/** What separates a name from its value in settings, source code, JSON and XML. */
const ASSIGNS = `(?:\\\\?["'\`]?\\]?${GAP}(?:(?:: ?)?[Ss]tring ?)?(?:=>|:{0,3}=|\\?{1,2}=|\\.=|::?|>)|["'] value=|${APART}|${GAP}${UNLESS})${GAP}(?:[|>]-?\\n {1,8}|\\\\\\n\\s{1,8}|\\n {1,8})?\\\\?["'\`]?`;
/** The arguments of a call: `setProperty("X_TOKEN", "…")`. */
const PASSED = `["'], ?["']`;
/** A cheap test that spares most positions the search for the name. */
const BEHIND_ONE = `(?<=[\\s=:>"'\`])`;

/** Keys that are no secrets: of tables and caches, of pages of a list, and those that are published. */
const NO_SECRET =
  '(?<!(?:public|primary|foreign|sort|partition|cache|row|object|lookup|index|group|unique|host|page|sync|next|starting|continuation|skip|csrf|xsrf|authenticity|idempotency)(?:[_. -]?key)?[_. -]?)';
/** Options that take the name of a public key or of an entry of a cache. */
const NO_OPTION = '(?<!--(?:default|delete|edit|list|recv|restore|send)-)';
/** `key` alone is the name of anything. */
const KEY_NAMES = `(?:${NO_SECRET}(?:token|secret|credential)|(?<=[A-Za-z\\d][_. -]?)${NO_SECRET}key|[?&]key|_auth)`;

export const assignedSecret = defineDetector({
  id: 'assigned_secret',
  version: 6,
  family: 'secret',
  title: 'Secret in a setting',
  gate: {
    kind: 'literals',
    literals: [
      ...['key', 'Key', 'KEY', 'oken', 'OKEN', 'ecret', 'ECRET', 'redential', 'REDENTIAL', '_auth', '_AUTH'],
    ],
    reach: 300,
  },
  patterns: [
    {
      regex: new RegExp(
        `${BEHIND_ONE}(?<=${KEY_NAMES}(?:${ASSIGNS}|${PASSED}))[A-Za-z0-9_+/.~-][A-Za-z0-9_+/.~=-]{9,127}`,
        'gi',
      ),
      context: 'optional',
    },
    // The options of a command.
    {
      regex: new RegExp(
        `(?<=[ "'])(?<=(?<![\\w-])--?[a-z]{0,20}(?:-[a-z]{1,20}){0,3}-?${NO_SECRET}(?:token|secret|(?<=[a-z]-?)${NO_OPTION}key) ["']?)[A-Za-z0-9_+/.~-][A-Za-z0-9_+/.~=-]{9,127}`,
        'gi',
      ),
      context: 'optional',
    },
  ],
  context: [],
  alone: aloneIn,
  judge: (match) => (looksRandom(match) ? 'shape' : 'no'),
  confidence: { pattern: 0.8 },
  examples: {
    hits: [
      "api_key = 'q8Zr51mXk02LpVt7Yw9s'",
      'CLIENT_SECRET: Zk8~9sDf.23kLmQ0pXv7',
      '"secret":"9f86d081884c7d659a2feaa0c55ad015"',
      '<add key="ApiKey" value="q8Zr51mXk02LpVt7Yw9s" />',
      'aws_secret_access_key=q8Zr51mXk02LpVt7/w9sB3daKw4tPzNe+cFg6HjU',
      '{\\"authToken\\": \\"q8Zr51mXk02LpVt7Yw9s\\"}',
      'datadogToken := "4f0c9e1bd27a86530f9c41e7b2d8a6c5e3f70914"',
      'var apitoken="kd83hf02jq";',
      'stripe_key = qvzkxwjrmtbnhgpdlf',
      '{"name": "MAIL_TOKEN", "value": "q8Zr51mXk02LpVt7"}',
      '- name: API_TOKEN\n  value: q8Zr51mXk02LpVt7',
      'variable "api_token" {\n  default = "q8Zr51mXk02LpVt7"\n}',
      '<key>ApiToken</key>\n<string>q8Zr51mXk02LpVt7</string>',
      'System.setProperty("API_TOKEN", "q8Zr51mXk02LpVt7")',
      'https://maps.example/api?key=q8Zr51mXk02LpVt7Yw9s',
      'const token = settings.TOKEN || "q8Zr51mXk02LpVt7"',
      'deploy --api-key q8Zr51mXk02LpVt7Yw9s',
      'const api_key = config["API_KEY"] || "q8Zr51mXk02LpVt7"',
      "connect(ENV['API_KEY'] || 'q8Zr51mXk02LpVt7')",
    ],
    misses: [
      'api_key = your_example_key_1234',
      'secret: aaaaaaaaaaaaaaaaaaaa1',
      'the secret of 1234567890123456',
      'api_key = short1',
      'token = request.headers.authorization2',
      'client_secret: name-of-the-variable-2',
      'secret: /var/run/secrets/database-1/file',
      'PublicKeyToken=b03f5f7f11d50a3a',
      'nextPageToken: "q8Zr51mXk02LpVt7"',
      'primary_key = order_item_2024_number',
      'api_key = load_settings_from_vault_2',
      'cacheKey: "q8Zr51mXk02LpVt7"',
      '<input name="authenticity_token" value="q8Zr51mXk02LpVt7Yw9s" />',
      'the option --api-key and q8Zr51mXk02LpVt7Yw9s',
      'token == null || name === "q8Zr51mXk02LpVt7"',
      ...['cache-key', 'primary-key', 'public-key', 'page-token', 'csrf-token', 'next-token'].map(
        (option) => `run --${option} q8Zr51mXk02LpVt7Yw9s`,
      ),
      ...['recv-key', 'default-key', 'restore-key', 'starting-token'].map(
        (option) => `run --${option} 9f86d081884c7d659a2feaa0c55ad015`,
      ),
      'post --idempotency-key 3f2a9c1e-7b4d-4e81-9a60-c5d2e8f10b37',
    ],
  },
});

/** Words for a password that are not part of other words, and those that must stand alone. A number can follow some. */
const NAMES =
  '(?:[_-]pass|pass(?:word|wd|phrase|wort|ord|code)|kennwort|mot de passe|contrase(?:ñ|n)a|wachtwoord|l(?:ö|o)senord|adgangskode|salasana|jelsz(?:ó|o)|(?<![a-z])(?:pwd?|clave|senha|parola(?: d.ordine)?|has(?:ł|l)o|heslo|(?:ş|s)ifre))\\d?';
const IS = '(?:(?:is|lautet|ist|est|es|è|é|jest|to):?|:)';
/**
 * What separates the word from a value in the next cell or word. There, only the value itself shows that it is a
 * password.
 */
const BESIDE = `["'\`]?(?:[ \\t]{0,3}[|,;\\t][ \\t]{0,3}| (?:for [^\\n:]{1,30}: )?)["'\`(]?`;
/** A letter, a digit and a special character. */
const STRONG = ['[A-Za-z]', '\\d', '[!@#$%^&*+=~§€£]']
  .map((each) => `(?=[^\\s"'\`;,<>\\\\()]{0,40}${each})`)
  .join('');

export const connectionPassword = defineDetector({
  id: 'connection_password',
  version: 5,
  family: 'secret',
  title: 'Password in a setting, a connection string or a sentence',
  gate: {
    kind: 'literals',
    literals: [
      ...[
        'assw',
        'ASSW',
        'assphrase',
        'assPhrase',
        'ASSPHRASE',
        'asscode',
        'assord',
        'pw',
        'Pw',
        'PW',
        'PassW',
      ],
      ...['ennwort', 'ENNWORT', 'ot de passe', 'ontrase', 'ONTRASE', 'achtwoord', 'senord', 'dgangskode'],
      ...[
        '_pass',
        '-pass',
        '_PASS',
        'alasana',
        'elsz',
        'lave',
        'senha',
        'Senha',
        'SENHA',
        'arola',
        'as\u0142o',
        'aslo',
        'eslo',
        'ifre',
      ],
    ],
    reach: 180,
  },
  patterns: [
    {
      regex: new RegExp(
        `${BEHIND_ONE}(?<=(?:${NAMES})(?:${ASSIGNS}| {1,2}${IS} ["'\`]?))[^\\s"'\`;,<>\\\\]{5,128}`,
        'gi',
      ),
      context: 'optional',
    },
    {
      regex: new RegExp(
        `(?<=[\\s"'\`(|,;])(?<=(?:${NAMES})${BESIDE})${STRONG}[^\\s"'\`;,<>\\\\()]{6,64}`,
        'gi',
      ),
      context: 'optional',
    },
  ],
  context: [],
  alone: aloneIn,
  judge: (match) => (mayBePassword(match) ? 'shape' : 'no'),
  confidence: { pattern: 0.85 },
  examples: {
    hits: [
      'password = 12345678901a',
      '{"key": "db_password", "value": "Gu9kdLs2"}',
      '- name: DB_PASSWORD\n  value: Gu9kdLs2',
      'variable "db_password" {\n  type = string\n  default = "Gu9kdLs2"\n}',
      '<key>Password</key>\n<string>Gu9kdLs2</string>',
      'password = \\\n  Gu9kdLs2',
      'userPassword:: e1NTSEF9Zk83hd92kq==',
      'Server=db;User Id=sa;Password=Tr0ub4dor&3;',
      'DB_PASSWORD="Winter2024!"',
      'Mot de passe : Soleil#91',
      'Ihr Kennwort lautet Sommer2024!',
      '<password>Gu9-kd.Ls</password>',
      'hasło: Zima2023!',
      'contraseña = Verano_77',
      'pwd: 849302',
      'Zugang: anna, Passwort Sommer#2024',
      'Password\tWinter#2024',
      'password for the portal: Winter#2024',
      'export DB_PASS=Gu9kdLs',
      'Your password is: Xk82-mPq',
    ],
    misses: [
      'Password=<password>',
      'password: required',
      'Pwd=****;',
      'password reset 12345',
      'password = getPassword(user1)',
      'password: config.database.password1',
      'Password: 12.05.2024',
      'password: https://reset.example/1',
      'the password is mandatory',
      'password SHA-256 and password OAuth2',
      'bypass: 12345678',
    ],
  },
});

/** Default accounts of software. */
const PRESET = /^(?:guest|admin|root|postgres|minioadmin)$/;

/** RFC 3986, section 3.2.1: a user name and a password may precede the host. */
export const addressPassword = defineDetector({
  id: 'address_password',
  version: 1,
  family: 'secret',
  title: 'Password in an address',
  gate: { kind: 'literals', literals: ['://'], reach: 220 },
  patterns: [
    {
      regex:
        /(?<=:)(?<!\/mailto:)(?<=[a-z][a-z0-9+.-]{1,15}:\/\/[^\s:@/"'<>]{0,64}:)[^\s:@/"'<>]{3,100}(?=@[A-Za-z0-9.[-])/g,
      context: 'optional',
    },
  ],
  context: [],
  judge: (match) => {
    if (isPlaceholder(match) || isExpression(match)) return 'no';
    return PRESET.test(match) ? 'sample' : 'shape';
  },
  confidence: { pattern: 0.85 },
  examples: {
    hits: [
      'postgres://app:Gu9kdLs@db.internal/app',
      'redis://:Gu9kdLs2@cache.example:6379',
      'https://anna:sonnenschein@files.example/',
    ],
    misses: [
      'https://example.com/a:b@c',
      'mysql://user:password@localhost/db',
      'amqp://user:$PASSWORD@host',
      'http://host:8080/path@2',
      'http://mailto:anna.muster@example.com',
    ],
  },
});
