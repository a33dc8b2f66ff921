import { numfmt } from '../on-demand.ts';

/** The application's limit. */
const MAX_CODE_CHARACTERS = 255;

/** The only format of most workbooks. The library is not loaded for it. */
const GENERAL = 0;

/** Built-in formats that depend on the locale of the reader, which a file does not state. */
const isDateOfTheReader = (id: number) =>
  id === 14 || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

export type NumberShape =
  | { kind: 'plain' }
  | { kind: 'iso' }
  | { kind: 'number'; pattern: string; known: Known }
  | { kind: 'date'; pattern: string; shows: 'day' | 'part' | 'time'; known: Known };

/** Cache of displayed values. Columns repeat values, dates above all, and applying a format is slower. */
type Known = Map<number, string>;
const MAX_KNOWN = 2_000;

const PLAIN: NumberShape = { kind: 'plain' };
const ISO: NumberShape = { kind: 'iso' };

/** The application's limit for a workbook. */
const MAX_STYLES = 65_490;

/** The number formats of one workbook, and its cell styles by index. */
export class NumberStyles {
  readonly #codes = new Map<number, string>();
  /** Shapes are shared, because a thousand styles use a few formats. */
  readonly #shapes = new Map<number, NumberShape>();
  readonly #styles: NumberShape[] = [];

  /** Must be called before the styles that use the format. */
  define(id: number, code: string): void {
    if (this.#codes.size < MAX_STYLES) this.#codes.set(id, code);
  }

  addStyle(id: number): void {
    if (this.#styles.length >= MAX_STYLES) return;
    const shape = this.#shapes.get(id) ?? numberShape(id, this.#codes.get(id));
    this.#shapes.set(id, shape);
    this.#styles.push(shape);
  }

  at(style: number): NumberShape {
    return this.#styles[style] ?? PLAIN;
  }
}

/**
 * How cells with this number format display numbers. Format numbers follow ECMA-376-1, 18.8.30. `formatCode` is what
 * the file defines for the number, if anything.
 */
export function numberShape(id: number, formatCode: string | undefined): NumberShape {
  if (formatCode === undefined && isDateOfTheReader(id)) return ISO;
  if (formatCode === undefined && id === GENERAL) return PLAIN;
  const { format, getFormatDateInfo, getFormatFromId, isDateFormat } = numfmt();
  const pattern = (formatCode ?? getFormatFromId(id)).slice(0, MAX_CODE_CHARACTERS);
  if (/^(?:general|@|)$/i.test(pattern)) return PLAIN;
  if (!isDateFormat(pattern)) return { kind: 'number', pattern, known: new Map() };
  const { year, month, day } = getFormatDateInfo(pattern);
  const isDay = month && day && format(pattern, SAMPLE_DAY, OPTIONS).includes(SAMPLE_YEAR);
  const shows = isDay ? 'day' : year || month || day ? 'part' : 'time';
  return { kind: 'date', pattern, shows, known: new Map() };
}

/** A format that shows only two digits of the year does not show the whole date. */
const SAMPLE_DAY = 30_819;
const SAMPLE_YEAR = '1984';

const OPTIONS = { locale: 'en', throws: false, invalid: '' };

const DAY_MS = 86_400_000;
/** Days between the two date systems. */
const DAYS_OF_1904 = 1_462;
/** Day 0. This system counts a nonexistent 29 February 1900, so it begins on 30 December. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
/** 31 December 9999. A spreadsheet shows no later date. */
const MAX_DAY = 2_958_465;
/** In a cell that displays hours, fewer days are a duration. More are a date whose day is hidden. */
const MAX_SPAN_DAYS = 366;

/**
 * A stored number as the cell displays it, followed by what the format hides: the digits of `4.5E+15`, or the whole
 * ISO 8601 date of `17-May-07`. Dates without a custom format are in ISO 8601 (`1984-05-17`, `1984-05-17 10:30`,
 * `10:30`). Anything but a number stays as it is.
 */
export function shownNumber(stored: string | number, shape: NumberShape, date1904: boolean): string {
  const value = Number(stored);
  if (!Number.isFinite(value) || (typeof stored === 'string' && stored.trim() === '')) return String(stored);
  if (shape.kind === 'plain') return plainNumber(value);
  const serial = date1904 && shape.kind !== 'number' ? value + DAYS_OF_1904 : value;
  if (shape.kind !== 'number' && (serial < 0 || serial > MAX_DAY)) return plainNumber(value);
  if (shape.kind === 'iso') return isoDate(serial);
  const known = shape.known.get(serial);
  if (known !== undefined) return known;
  const shown = numfmt().format(shape.pattern, serial, OPTIONS).trim();
  const whole = shape.kind === 'number' ? withDigits(value, shown) : withDay(serial, shown, shape.shows);
  if (shape.known.size < MAX_KNOWN) shape.known.set(serial, whole);
  return whole;
}

/** Without binary rounding noise. Integers keep all digits. */
const plainNumber = (value: number) =>
  String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));

/** Smaller numbers are no identifiers. */
const LEAST_IDENTIFYING = 1_000;

function withDigits(value: number, shown: string): string {
  if (shown === '') return plainNumber(value);
  const size = Math.abs(value);
  if (size < LEAST_IDENTIFYING) return shown;
  const whole = String(Math.trunc(size));
  const digits = shown.replace(/\D/g, '');
  // Rounding a fraction can change any digit but not their number.
  const kept = Number.isInteger(value) ? digits.includes(whole) : digits.length >= whole.length;
  return kept ? shown : `${shown} ${plainNumber(value)}`;
}

function withDay(serial: number, shown: string, shows: 'day' | 'part' | 'time'): string {
  const whole = shows === 'time' ? serial < MAX_SPAN_DAYS : shows === 'day';
  return whole && shown !== '' ? shown : `${shown} ${isoDate(serial)}`.trim();
}

function isoDate(serial: number): string {
  const minutes = Math.round((serial * DAY_MS) / 60_000) * 60_000;
  const iso = new Date(EPOCH_1900 + minutes).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 16)];
  if (serial < 1) return time;
  return Number.isInteger(serial) ? day : `${day} ${time}`;
}
