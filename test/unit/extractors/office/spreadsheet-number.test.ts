import { expect, test } from 'vitest';
import {
  NumberStyles,
  numberShape,
  shownNumber,
} from '../../../../core/extractors/office/spreadsheet-number.ts';
import { rkNumber } from '../../../../core/extractors/office/spreadsheet-value.ts';

const shown = (code: string, value: number) => shownNumber(value, numberShape(164, code), false);
const builtIn = (id: number, value: number) => shownNumber(value, numberShape(id, undefined), false);

test.for<[string, number, string]>([
  ['#,##0.00', 1599.99, '1,599.99'],
  ['$#,##0.00;[Red]($#,##0.00)', -1599.99, '($1,599.99)'],
  ['_("$"* #,##0.00_)', 12, '$12.00'],
  ['0.00%', 0.025, '2.50%'],
  ['# ?/?', 2.5, '2 1/2'],
  ['0 "dollars and" .00 "cents"', 19.99, '19 dollars and .99 cents'],
  ['000\\-00\\-0000', 123456789, '123-45-6789'],
  ['00000', 42, '00042'],
  ['00\\-00', 1234567, '12345-67'],
  ['"day" 0', 4, 'day 4'],
])('%s shows %d as %s', ([code, value, text]) => {
  expect(shown(code, value)).toBe(text);
});

test.for<[string, number, string]>([
  ['0.0E+00', 4539578763621486, '4.5E+15 4539578763621486'],
  ['0,,"M"', 12345678, '12M 12345678'],
  ['"***"', 123456, '*** 123456'],
  [';;;', 7, '7'],
  ['d-mmm-yy', 39219, '17-May-07 2007-05-17'],
  ['mmm d', 39219, 'May 17 2007-05-17'],
  ['h:mm', 39219.25, '6:00 2007-05-17 06:00'],
])('%s hides what stands behind it: %d is %s', ([code, value, text]) => {
  expect(shown(code, value)).toBe(text);
});

test('a rounded fraction hides nothing that identifies', () => {
  expect(shown('0', 1599.99)).toBe('1600');
  expect(shown('0.0', 33.333333)).toBe('33.3');
});

test('dates of both systems, of the reader and of a pattern', () => {
  expect(builtIn(14, 30819)).toBe('1984-05-17');
  expect(builtIn(22, 30819.4375)).toBe('1984-05-17 10:30');
  expect(builtIn(14, 0.5)).toBe('12:00');
  expect(builtIn(14, -1)).toBe('-1');
  expect(builtIn(14, 9999999999)).toBe('9999999999');
  expect(shownNumber(29357, numberShape(14, undefined), true)).toBe('1984-05-17');
  expect(shown('[Red]yyyy\\-mm\\-dd', 39219)).toBe('2007-05-17');
  expect(shown('[$-409]dddd, mmmm d, yyyy', 39219)).toBe('Thursday, May 17, 2007');
  expect(shown('[h]:mm', 2.5)).toBe('60:00');
});

test('general numbers keep their digits and lose binary noise', () => {
  expect(builtIn(0, 4111111111111111)).toBe('4111111111111111');
  expect(builtIn(0, 0.1 + 0.2)).toBe('0.3');
  expect(builtIn(49, 12)).toBe('12');
});

test('what is no number stays, and what is no format shows the number', () => {
  const plain = numberShape(0, undefined);
  expect(shownNumber('#N/A', plain, false)).toBe('#N/A');
  expect(shownNumber(' ', plain, false)).toBe(' ');
  expect(shown('0.0.0[', 5)).toBe('5');
  expect(shown(`${'0'.repeat(300)}`, 5)).toBe('5'.padStart(255, '0'));
});

test('styles know their formats by number', () => {
  const styles = new NumberStyles();
  styles.define(164, '0000');
  styles.addStyle(164);
  styles.addStyle(165);
  expect(shownNumber(7, styles.at(0), false)).toBe('0007');
  expect(shownNumber(7, styles.at(1), false)).toBe('7');
  expect(shownNumber(7, styles.at(99), false)).toBe('7');
});

test('numbers in 30 bits', () => {
  expect(rkNumber((1234 << 2) | 2)).toBe(1234);
  expect(rkNumber((-1234 << 2) | 3)).toBe(-12.34);
  expect(rkNumber(0x3ff00000)).toBe(1);
  expect(rkNumber(0x3ff00001)).toBe(0.01);
});
