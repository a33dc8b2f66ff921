import { defineDetector } from '../detector.ts';
import { aloneIn, isExpression, isPlaceholder, looksRandom, mayBePassword } from './secret-value.ts';

/** What separates a name from its value in settings, source code, JSON and XML. */
const ASSIGNS = `\\\\?["']?[ \\t\\u00a0]{0,2}(?:=>|:=|[=:>]|["'] value=)[ \\t\\u00a0]{0,2}\\\\?["'\`]?`;
/** A cheap test that spares most positions the search for the name. */
const BEHIND_ONE = `(?<=[\\s=:>"'\`])`;

export const assignedSecret = defineDetector({
  id: 'assigned_secret',
  version: 3,
  family: 'secret',
  title: 'Secret in a setting',
  gate: {
    kind: 'literals',
    literals: ['key', 'Key', 'KEY', 'oken', 'OKEN', 'ecret', 'ECRET'],
    reach: 200,
  },
  patterns: [
    {
      regex: new RegExp(
        `${BEHIND_ONE}(?<=(?:(?:api|access|auth|app|private|secret|encryption|signing|service|master|client|consumer|subscription|refresh|session|bot)[_. -]?(?:key|token|secret)|secret|(?<![A-Za-z])token)${ASSIGNS})[A-Za-z0-9_+/.~-]{16,128}`,
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
    ],
    misses: [
      'api_key = your_example_key_1234',
      'secret: aaaaaaaaaaaaaaaaaaaa1',
      'the secret of 1234567890123456',
      'api_key = short1',
      'token = request.headers.authorization2',
      'client_secret: name-of-the-variable-2',
      'secret: /var/run/secrets/database-1/file',
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
const STRONG = ['[A-Za-z]', '\\d', '[!@#$%^&*+=~§€£]'].map((each) => `(?=\\S{0,40}${each})`).join('');

export const connectionPassword = defineDetector({
  id: 'connection_password',
  version: 3,
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
