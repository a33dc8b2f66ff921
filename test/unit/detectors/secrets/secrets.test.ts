import { describe, expect, it } from 'vitest';
import { findHits } from '../../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';

const SECRETS = DETECTORS.filter(({ family }) => family === 'secret');

const valuesIn = (text: string, id?: string) =>
  findHits(text, SECRETS)
    .filter(({ detector }) => id === undefined || detector.id === id)
    .flatMap(({ hits }) => hits.map(({ start, end }) => text.slice(start, end)));

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
const LETTERS = LOWER + LOWER.toUpperCase();
const ALL = `${LETTERS}0123456789`;

/** As if drawn by chance, the same at every run. */
function drawn(length: number, from: string): string {
  let seed = length + from.length;
  return Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return from[seed % from.length];
  }).join('');
}

describe('a key of a known issuer', () => {
  it.each([
    ['AKIA', 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
    ['AIza', 35, ALL],
    ['GOCSPX-', 28, ALL],
    ['ghs_', 36, ALL],
    ['glpat-', 20, ALL],
    ['xoxp-20481736592-', 32, ALL],
    ['SK', 32, HEX],
    ['sk_live_', 24, ALL],
    ['shpat_', 32, HEX],
    ['sk-proj-', 64, ALL],
    ['hf_', 34, LETTERS],
    ['npm_', 36, ALL],
    ['pypi-', 80, ALL],
    ['dapi', 32, HEX],
    ['hvs.', 32, ALL],
    ['dop_v1_', 64, HEX],
    ['lin_api_', 40, ALL],
  ])('%s is found whole, and not as a part of a longer word or without its end', (prefix, length, from) => {
    const key = prefix + drawn(length, from);
    expect(valuesIn(`the key is "${key}".`, 'api_key')).toEqual([key]);
    expect(valuesIn(`x${key}`, 'api_key')).toEqual([]);
    expect(valuesIn(prefix + drawn(8, from), 'api_key')).toEqual([]);
    expect(valuesIn(prefix + 'x'.repeat(length), 'api_key')).toEqual([]);
  });

  it('tells a key for trying things apart', () => {
    const confidence = (key: string) => findHits(key, SECRETS)[0]?.hits[0]?.confidence ?? 0;
    const rest = drawn(24, ALL);
    expect(confidence(`sk_test_${rest}`)).toBeLessThan(0.5);
    expect(confidence(`sk_live_${rest}`)).toBeGreaterThan(0.9);
  });
});

describe('what only looks like a key', () => {
  const sum = drawn(64, HEX);
  const uuid = [8, 4, 4, 4, 12].map((length) => drawn(length, HEX)).join('-');

  it.each([
    `consumo: ${sum}`,
    `nonlinear_key: ${sum.slice(0, 32)}`,
    `onlooker: ${drawn(24, LOWER)}`,
    `linear,${sum.slice(0, 32)}`,
    `customer segment: ${sum.slice(0, 40)}`,
    `commit of datadog: ${sum.slice(0, 40)}`,
    `  launchdarkly: ${sum.slice(0, 40)}`,
    `linear = "${sum.slice(0, 32)}"`,
    `drone = "${sum.slice(0, 32)}"`,
    `facebook_id = "${sum.slice(0, 32)}"`,
    `segment_id: "${sum.slice(0, 40)}"`,
    `plaid_account_id = "${drawn(24, `${LOWER}0123456789`)}"`,
  ])('a checksum or an id beside the name of an issuer: %j', (text) => {
    expect(valuesIn(text, 'api_key')).toEqual([]);
  });

  it.each([
    `<div id="api-${uuid}">`,
    `GET /v1/api-${uuid}/x`,
    `mob-${uuid}`,
    'sk_live_migration1',
    'sk_prod_release2024',
    'squ_make_me_a_long_identifier_of_the_class_1',
    `AAAAAAAAAAAAAAAAAAAAAAAA${drawn(88, ALL)}`,
  ])('a name or data that begins like a key: %j', (text) => {
    expect(valuesIn(text, 'api_key')).toEqual([]);
  });

  it('a bearer of Twitter has escapes', () => {
    const bearer = `AAAAAAAAAAAAAAAAAAAAAA${drawn(30, ALL)}%2B${drawn(50, ALL)}%3D`;
    expect(valuesIn(`Bearer ${bearer}`, 'api_key')).toEqual([bearer]);
  });
});

describe('a password', () => {
  const password = 'Gu9-kd#Ls';

  it.each([
    'password=?',
    'Password: "?"',
    "'passwd' => '?',",
    'DB_PASSWORD := ?',
    '{"password": "?"}',
    '{\\"password\\": \\"?\\"}',
    '<Password>?</Password>',
    '<add key="Password" value="?"/>',
    'spring.datasource.password=?',
    'Server=db;Uid=app;Pwd=?;Encrypt=true',
    'https://app.example/login?user=anna&password=?',
    'Das Passwort ist ?',
    'Kennwort : ?',
    'le mot de passe est ?',
    'La contraseña es: ?',
    'senha = ?',
    'het wachtwoord is ?',
    'hasło to ?',
    'parola d’ordine: ?',
    'heslo: ?',
    'lösenord: ?',
    'login anna password ?',
    'Password\t?',
    '| password | ? |',
    'user,password\nanna,?',
  ])('is found in %j', (text) => {
    expect(valuesIn(text.replace(/\?$|\?(?!\w)/, password))).toContain(password);
  });

  it.each([
    'The password must have 8-16 characters, see policy-2.',
    'Password expires: 2025-01-31',
    'password: process.env.DB_PASSWORD',
    'password = config["db"].password1',
    'const password = await readPassword(file1);',
    'password: {{ vault_db_password_1 }}',
    'password = %s and user = %s',
    'Password: ********',
    'pwd: $(cat file1)',
    'Passwort vergessen? Klicken Sie auf Seite 12.',
    'mot de passe oublié 2024',
  ])('is not found in %j', (text) => {
    expect(valuesIn(text)).toEqual([]);
  });
});

describe('a line of ordinary source code or prose', () => {
  it.each([
    '"integrity": "sha512-q8Zr51mXk02LpVt7Yw9sB3daKw4tPzNecFg6HjU1vR5xQ0oM2iA8bDlSyTfGhEjCnWu=="',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'nextPageToken=CAUQAA',
    'the secret of our success: 25 years of experience',
    'Authorization: Bearer is required',
    'git clone ssh://git@host.example/repo.git',
    'id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  ])('%j holds no secret', (text) => {
    expect(valuesIn(text)).toEqual([]);
  });
});

describe('a private key', () => {
  const surest = (text: string) =>
    Math.max(...findHits(text, SECRETS).flatMap(({ hits }) => hits.map(({ confidence }) => confidence)));
  const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
  const line = drawn(64, ALL);

  it.each([
    `${BEGIN}\n${line}`,
    `${BEGIN}\\n${line}`,
    `"${BEGIN}\\n" +\n    "${line}`,
    `  // ${BEGIN}\r\n  // ${line}`,
    `${BEGIN}${line}`,
    `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC\n`,
  ])('is sure where the key stands: %j', (text) => {
    expect(surest(text)).toBeGreaterThan(0.9);
  });

  it.each([
    `if (pem.startsWith('${BEGIN}')) return readPrivateKeyOfTheServer(pem);`,
    `A file begins with ${BEGIN} and ends with -----END RSA PRIVATE KEY-----.`,
  ])('drives no risk where only its header is spoken of: %j', (text) => {
    expect(surest(text)).toBeLessThan(0.5);
  });
});
