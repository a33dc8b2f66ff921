import fc from 'fast-check';
import validator from 'validator';
import { describe, expect, it } from 'vitest';
import { isLuhn } from '../../../../core/detectors/checks/luhn.ts';
import { mod97 } from '../../../../core/detectors/checks/mod97.ts';
import { compact } from '../../../../core/detectors/checks/token.ts';
import { isMailAddress } from '../../../../core/detectors/contact/email-address.ts';
import { isIban } from '../../../../core/detectors/finance/iban-form.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const stringOf = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });

/** Countries that the registry (ISO 13616) has and the library lacks, or whose form it changed since. */
const NEWER = 'BI BY DJ FK HN LY MN NI OM RU SD SO ST YE'.split(' ');
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const COUNTRIES = [...CAPITALS].flatMap((first) => [...CAPITALS].map((second) => first + second));

describe('what is judged without the library', () => {
  it('is a number of Luhn where the library says so', () => {
    fc.assert(
      fc.property(stringOf('0123456789 -', 0, 20), (number) => {
        for (let last = 0; last < 10; last++) {
          expect(isLuhn(number + last)).toBe(validator.isLuhnNumber(number + last));
        }
        expect(isLuhn(`${number}x`)).toBe(validator.isLuhnNumber(`${number}x`));
        expect(isLuhn(number)).toBe(validator.isLuhnNumber(number));
      }),
    );
  });

  it('leaves the rest by 97 that the whole number leaves', () => {
    fc.assert(
      fc.property(stringOf('0123456789abcXYZ', 1, 40), (value) => {
        const number = [...value].map((character) => Number.parseInt(character, 36)).join('');
        expect(mod97(value)).toBe(Number(BigInt(number) % 97n));
      }),
    );
    expect(mod97('12-3')).toBeNaN();
  });

  it.each(COUNTRIES.filter((country) => !NEWER.includes(country)))('is an IBAN of %s likewise', (country) => {
    const lengths = Array.from({ length: 20 }, (_, i) => i + 11);
    const account = (length: number) => [
      '1'.repeat(length),
      'A'.repeat(length),
      ...[1, 2, 3, 4, 5, 10, 11].map((letters) => `${'B'.repeat(letters)}${'2'.repeat(length - letters)}`),
      ...[1, 2, 3].map((letters) => `${'3'.repeat(length - letters)}${'C'.repeat(letters)}`),
      `${'D'.repeat(4)}${'4'.repeat(length - 7)}${'E'.repeat(3)}`,
      `F${'5'.repeat(10)}${'G'.repeat(length - 11)}`,
      `${'6'.repeat(10)}${'H'.repeat(length - 11)}`,
      `${'J'.repeat(length - 2)}77`,
    ];
    for (const value of lengths.flatMap(account)) {
      const check = String(98 - mod97(`${value}${country}00`)).padStart(2, '0');
      for (const number of [`${country}${check}${value}`, `${country}10${value}`]) {
        expect(isIban(number), number).toBe(validator.isIBAN(number));
      }
    }
  });

  it.each([
    ['BI', '1'.repeat(23)],
    ['BY', `AB12${'3'.repeat(4)}${'C'.repeat(16)}`],
    ['DJ', '1'.repeat(23)],
    ['FK', `AB${'1'.repeat(12)}`],
    ['HN', `ABCD${'1'.repeat(20)}`],
    ['LY', '1'.repeat(21)],
    ['MN', '1'.repeat(16)],
    ['NI', `ABCD${'1'.repeat(20)}`],
    ['OM', `123${'A'.repeat(16)}`],
    ['RU', `${'1'.repeat(14)}${'A'.repeat(15)}`],
    ['SD', '1'.repeat(14)],
    ['SO', '1'.repeat(19)],
    ['ST', '1'.repeat(21)],
    ['YE', `ABCD1234${'A'.repeat(18)}`],
  ])('is an IBAN of %s, which the library lacks or has in another form', (country, account) => {
    const withCheck = (value: string) =>
      `${country}${String(98 - mod97(`${value}${country}00`)).padStart(2, '0')}${value}`;
    expect(isIban(withCheck(account))).toBe(true);
    expect(isIban(withCheck(`${account}1`))).toBe(false);
    expect(isIban(withCheck(account.slice(1)))).toBe(false);
  });

  it('is an address of e-mail where the library says so', () => {
    const address = fc
      .tuple(stringOf("ab.Z09_%+-'", 1, 12), stringOf('aZ9-.', 1, 14), stringOf('abé', 2, 5))
      .map(([local, domain, last]) => `${local}@${domain}.${last}`);
    fc.assert(
      fc.property(address, (each) => {
        const expected = validator.isEmail(each, { allow_ip_domain: true });
        expect(isMailAddress(each)).toBe(expected);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('keeps letters and digits of a match, as capitals', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), stringOf('AZ09az- .', 0, 12), (any, likely) => {
        for (const each of [any, likely]) {
          expect(compact(each)).toBe(each.replace(/[^A-Za-z0-9]/g, '').toUpperCase());
        }
      }),
    );
  });
});
