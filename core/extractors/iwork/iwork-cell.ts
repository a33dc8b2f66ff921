import { booleanText } from '../office/spreadsheet-value.ts';

/** The displayed content of a cell, or its key in a list of the table. */
export type CellContent =
  | { kind: 'shown'; text: string }
  | { kind: 'string' | 'rich'; key: number }
  | { kind: 'empty' };

const EMPTY: CellContent = { kind: 'empty' };

/** Kinds of cells that do not display their number as a number. */
const ERROR = 8;
const BOOLEAN = 6;
const DURATION = 7;

/** The layout of a record: the values that its flags name, one after the other. */
type Layout = { typeAt: number; flagsAt: number; from: number; parts: readonly Part[] };
type Part = { flag: number; bytes: number; is: 'decimal' | 'double' | 'date' | 'string' | 'rich' | 'other' };

const part = (flag: number, is: Part['is'], bytes = 4): Part => ({ flag, bytes, is });

/** Nothing after the last part is read: styles, formats, comments. */
const CURRENT: Layout = {
  typeAt: 1,
  flagsAt: 8,
  from: 12,
  parts: [
    part(0x1, 'decimal', 16),
    part(0x2, 'double', 8),
    part(0x4, 'date', 8),
    part(0x8, 'string'),
    part(0x10, 'rich'),
  ],
};

const others = (...flags: number[]): Part[] => flags.map((flag) => part(flag, 'other'));
const OLD_PARTS = [
  ...others(0x2, 0x80, 0x400, 0x800, 0x4, 0x8, 0x100),
  part(0x200, 'rich'),
  ...others(0x1000, 0x2000),
  part(0x10, 'string'),
  part(0x20, 'double', 8),
  part(0x40, 'date', 8),
];
/** By version, since 2013. */
const OLD_LAYOUTS: readonly Layout[] = [
  {
    typeAt: 2,
    flagsAt: 4,
    from: 8,
    parts: OLD_PARTS.filter(({ flag }) => flag !== 0x400 && flag !== 0x800 && flag !== 0x2000),
  },
  { typeAt: 2, flagsAt: 4, from: 12, parts: OLD_PARTS },
  { typeAt: 2, flagsAt: 4, from: 12, parts: OLD_PARTS },
  { typeAt: 1, flagsAt: 4, from: 12, parts: OLD_PARTS },
];

/** Reads a cell of a tile. Throws if it is truncated. */
export function cellContent(record: Buffer): CellContent {
  const layout = OLD_LAYOUTS[record.readUInt8(0) - 1] ?? CURRENT;
  const type = record.readUInt8(layout.typeAt);
  if (type === ERROR) return EMPTY;
  const flags = record.readUInt32LE(layout.flagsAt);
  const places = new Map<Part['is'], number>();
  let at = layout.from;
  for (const { flag, bytes, is } of layout.parts) {
    if ((flags & flag) === 0) continue;
    places.set(is, at);
    at += bytes;
  }
  return contentAt(record, type, places);
}

function contentAt(record: Buffer, type: number, places: ReadonlyMap<Part['is'], number>): CellContent {
  const rich = places.get('rich');
  if (rich !== undefined) return { kind: 'rich', key: record.readUInt32LE(rich) };
  const string = places.get('string');
  if (string !== undefined) return { kind: 'string', key: record.readUInt32LE(string) };
  const decimal = places.get('decimal');
  if (decimal !== undefined) return shown(decimalText(record.subarray(decimal, decimal + 16)));
  const date = places.get('date');
  if (date !== undefined) return shown(dateText(record.readDoubleLE(date)));
  const double = places.get('double');
  if (double === undefined) return EMPTY;
  const value = record.readDoubleLE(double);
  if (type === BOOLEAN) return shown(booleanText(value));
  return shown(type === DURATION ? durationText(value) : numberText(value));
}

const shown = (text: string): CellContent => (text === '' ? EMPTY : { kind: 'shown', text });

/** The digits that a double holds exactly. */
const SURE_DIGITS = 15;

/** Formats a number without binary rounding noise. Integers keep all digits. */
export const numberText = (value: number): string =>
  Number.isFinite(value)
    ? String(Number.isInteger(value) ? value : Number(value.toPrecision(SURE_DIGITS)))
    : '';

const DECIMAL_BIAS = 0x1820;
/** Numbers with a larger exponent are not written out. */
const MAX_EXPONENT = 40;

/** A decimal of 128 bits: 113 bits of digits, 14 bits of exponent, and the sign. */
function decimalText(bytes: Buffer): string {
  const high = bytes.readUInt16LE(14);
  const exponent = ((high & 0x7fff) >> 1) - DECIMAL_BIAS;
  const digits =
    (BigInt(high & 1) << 112n) |
    (bytes.readBigUInt64LE(0) + ((bytes.readBigUInt64LE(8) & 0xffff_ffff_ffffn) << 64n));
  const sign = (high & 0x8000) !== 0 && digits > 0n ? '-' : '';
  if (exponent < -MAX_EXPONENT || exponent > MAX_EXPONENT)
    return numberText(Number(`${sign}${digits}e${exponent}`));
  if (exponent >= 0) return `${sign}${digits}${digits > 0n ? '0'.repeat(exponent) : ''}`;
  const padded = String(digits).padStart(1 - exponent, '0');
  const fraction = padded.slice(exponent).replace(/0+$/, '');
  const whole = padded.slice(0, exponent);
  if (fraction === '') return sign + whole;
  const text = `${sign}${whole}.${fraction}`;
  return whole.length + fraction.length > SURE_DIGITS ? numberText(Number(text)) : text;
}

const EPOCH = Date.UTC(2001, 0, 1);
/** The range of years 1 to 9999. */
const FIRST_SECOND = -63_113_904_000;
const LAST_SECOND = 252_423_993_599;

/** Formats seconds since 2001 as an ISO 8601 date, with the time if there is one. */
export function dateText(seconds: number): string {
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) return '';
  const iso = new Date(EPOCH + Math.round(seconds) * 1_000).toISOString();
  const time = iso.slice(11, 16);
  return time === '00:00' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}

/** Formats a duration such as `36:05:00`. */
function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  const size = Math.round(Math.abs(seconds));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${seconds < 0 ? '-' : ''}${two(size / 3_600)}:${two((size / 60) % 60)}:${two(size % 60)}`;
}
