import type { Random } from './random.ts';

/**
 * Identifiers that pass their checksum and belong to nobody: published test numbers, numbers reserved for fiction or
 * documentation, or random digits with a correct check digit.
 */
const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALPHANUMERIC = `${UPPER}${UPPER.toLowerCase()}${DIGITS}`;

const digits = (r: Random, length: number) => r.text(length, DIGITS);
const groups = (text: string, size: number) => text.replace(new RegExp(`(.{${size}})(?=.)`, 'g'), '$1 ');

export const cardNumber = (r: Random) =>
  r.pick(['4111 1111 1111 1111', '5555 5555 5555 4444', '4012 8888 8888 1881', '3782 822463 10005']);

export function iban(r: Random, country: 'DE' | 'GB' | 'FR' | 'ES'): string {
  const account = {
    DE: () => digits(r, 18),
    GB: () => `${r.text(4, UPPER)}${digits(r, 14)}`,
    FR: () => frenchAccount(digits(r, 21)),
    ES: () => spanishAccount(digits(r, 8), digits(r, 10)),
  }[country]();
  const check = 98n - (lettersAsNumbers(`${account}${country}00`) % 97n);
  return groups(`${country}${String(check).padStart(2, '0')}${account}`, 4);
}

const lettersAsNumbers = (text: string) =>
  BigInt(text.replace(/[A-Z]/g, (c) => String(c.charCodeAt(0) - 55)));

function frenchAccount(body: string): string {
  const [bank, branch, account] = [body.slice(0, 5), body.slice(5, 10), body.slice(10)];
  const key = 97n - ((89n * BigInt(bank) + 15n * BigInt(branch) + 3n * BigInt(account)) % 97n);
  return `${body}${String(key).padStart(2, '0')}`;
}

function spanishAccount(bank: string, account: string): string {
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6];
  const check = (text: string) => {
    const left = 11 - (weighted(text, weights) % 11);
    return left === 11 ? 0 : left === 10 ? 1 : left;
  };
  return `${bank}${check(`00${bank}`)}${check(account)}${account}`;
}

const weighted = (text: string, weights: readonly number[]) =>
  weights.reduce((sum, weight, at) => sum + weight * Number(text[at]), 0);

export const bic = (r: Random) =>
  `${r.text(4, UPPER)}${r.pick(['DE', 'GB', 'FR', 'ES'])}${r.pick(['FF', 'MM', '2L'])}XXX`;

/** German tax id: eleven digits, exactly one of the first ten occurs twice, ISO 7064 mod 11,10. */
export function germanTaxId(r: Random): string {
  const body = r.sample([...DIGITS], 9);
  const [first = '1'] = body;
  const doubled = [...body, first].join('');
  const start = doubled.startsWith('0') ? `${doubled.slice(1)}0` : doubled;
  let product = 10;
  for (const digit of start) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  const text = `${start}${(11 - product) % 10}`;
  return `${text.slice(0, 2)} ${groups(text.slice(2), 3)}`;
}

export function frenchSocialSecurity(r: Random): string {
  const born = `${digits2(r.int(60, 99))}${digits2(r.int(1, 12))}`;
  const body = `${r.int(1, 2)}${born}${digits2(r.int(10, 89))}${digits3(r.int(1, 400))}${digits3(r.int(1, 400))}`;
  return `${body} ${String(97n - (BigInt(body) % 97n)).padStart(2, '0')}`;
}

export function spanishDni(r: Random): string {
  const number = digits(r, 8);
  return `${number}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23]}`;
}

/** NHS numbers that begin with 999 are reserved for tests. */
export function nhsNumber(r: Random): string {
  for (;;) {
    const body = `999${digits(r, 6)}`;
    const check = 11 - (weighted(body, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    if (check !== 10) return `${body.slice(0, 3)} ${body.slice(3, 6)} ${body.slice(6)}${check % 11}`;
  }
}

/** The valid format, with a prefix that was never issued in Northern Ireland's old range. */
export const nationalInsuranceNumber = (r: Random) =>
  `${r.pick(['JG', 'LW', 'NX', 'PT'])} ${groups(digits(r, 6), 2)} ${r.pick(['A', 'B', 'C', 'D'])}`;

export const socialSecurityNumber = (r: Random) =>
  `${r.int(531, 649)}-${digits2(r.int(11, 98))}-${r.int(1001, 9998)}`;

/** Numbers that the regulators of the four countries reserve for fiction. */
export const phoneNumber = (r: Random, language: 'en' | 'de' | 'fr' | 'es' = 'en') =>
  ({
    en: `+44 20 7946 0${r.int(100, 999)}`,
    de: `+49 30 23125 ${r.int(100, 999)}`,
    fr: `+33 1 99 00 ${digits2(r.int(10, 99))} ${digits2(r.int(10, 99))}`,
    es: `+34 91 000 ${digits2(r.int(10, 99))} ${digits2(r.int(10, 99))}`,
  })[language];

export const ipAddress = (r: Random) => `${r.pick(['192.0.2', '198.51.100', '203.0.113'])}.${r.int(1, 254)}`;

/** A vehicle identification number with its North American check digit. */
export function vehicleNumber(r: Random): string {
  const letters = 'ABCDEFGHJKLMNPRSTUVWXYZ';
  const values = '12345678123457923456789';
  const weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
  const start = `1${r.text(2, letters)}${digits(r, 2)}${r.text(3, letters)}`;
  const end = `${r.text(2, letters)}${digits(r, 6)}`;
  const asDigits = `${start}0${end}`.replace(/[A-Z]/g, (c) => values[letters.indexOf(c)] ?? '0');
  const check = weighted(asDigits, weights) % 11;
  return `${start}${check === 10 ? 'X' : check}${end}`;
}

export const passportNumber = (r: Random) => `C${r.text(8, 'CFGHJKLMNPRTVWXYZ0123456789')}`;

export const cloudAccessKey = (r: Random) => `AKIA${r.text(16, `${UPPER}234567`)}`;
export const cloudSecretKey = (r: Random) => r.text(40, ALPHANUMERIC);
export const repositoryToken = (r: Random) => `ghp_${r.text(36, ALPHANUMERIC)}`;
export const password = (r: Random) =>
  `${r.pick(['Harbour', 'Copper', 'Maple', 'Granite'])}-${r.text(10, ALPHANUMERIC)}!`;

export function privateKey(r: Random): string {
  const kind = 'RSA PRIVATE KEY';
  const lines = Array.from({ length: 6 }, () => r.text(64, `${ALPHANUMERIC}+/`));
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n');
}

/** An ICD-10 code and its description. */
export const diagnosis = (r: Random): readonly [code: string, name: string] =>
  r.pick<readonly [string, string]>([
    ['M54.5', 'low back pain'],
    ['J10.1', 'influenza with respiratory manifestations'],
    ['F43.2', 'adjustment disorder'],
    ['S52.5', 'fracture of the lower end of the radius'],
    ['E11.9', 'type 2 diabetes without complications'],
    ['K35.8', 'acute appendicitis'],
  ]);

/** A birth date as ISO 8601. */
export const birthDate = (r: Random) =>
  `${r.int(1962, 2001)}-${digits2(r.int(1, 12))}-${digits2(r.int(1, 28))}`;

/** A day of the given year as ISO 8601. */
export const dayOf = (r: Random, year: number) => `${year}-${digits2(r.int(1, 12))}-${digits2(r.int(1, 28))}`;

const digits2 = (n: number) => String(n).padStart(2, '0');
const digits3 = (n: number) => String(n).padStart(3, '0');
