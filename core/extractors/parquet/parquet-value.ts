import type { SchemaElement } from 'hyparquet';
import { sniffEncoding } from '../text/text-encoding.ts';

const BREAKS = /[\s\0]+/g;
/** More digits than the widest decimal of any writer has. */
const MAX_SCALE = 100;
const DAY_MS = 86_400_000;
/** Days from Julian day 0 to 1970-01-01. */
const JULIAN_EPOCH = 2_440_588n;
const NANOSECONDS_A_MILLISECOND = 1_000_000n;
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The text of a value as its type says. Null for bytes that are no text. */
export function shownOf(value: unknown, element: SchemaElement): string | null {
  const { converted_type: converted, logical_type: logical, type, scale = 0 } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') return decimal(value, scale);
  if (converted === 'DATE' || logical?.type === 'DATE') return day(Number(value) * DAY_MS).slice(0, 10);
  if (type === 'INT96') return day(Number(ofLegacyTime(integerOf(value) ?? 0n)));
  const unit =
    converted === 'TIMESTAMP_MILLIS' ? 'MILLIS' : converted === 'TIMESTAMP_MICROS' ? 'MICROS' : null;
  if (unit !== null) return day(Number(value) / PER_MILLISECOND[unit]);
  if (logical?.type === 'TIMESTAMP') return day(Number(value) / PER_MILLISECOND[logical.unit]);
  if (!(value instanceof Uint8Array)) return unsigned(value, element);
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (logical?.type === 'UUID') return bytes.toString('hex').replace(UUID_PARTS, '$1-$2-$3-$4-$5');
  const isText = converted === 'UTF8' || logical?.type === 'STRING' || sniffEncoding(bytes) === 'utf-8';
  return isText ? bytes.toString('utf8').replace(BREAKS, ' ') : null;
}

const PER_MILLISECOND = { MILLIS: 1, MICROS: 1_000, NANOS: 1_000_000 } as const;

/** An integer, also one of bytes: big-endian two's complement. Null for anything else, as in a damaged schema. */
function integerOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (!(value instanceof Uint8Array)) return null;
  const hex = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  return hex === '' ? 0n : BigInt.asIntN(value.byteLength * 8, BigInt(`0x${hex}`));
}

function decimal(value: unknown, scale: number): string {
  const unscaled = integerOf(value);
  if (unscaled === null || scale <= 0 || scale > MAX_SCALE) return String(unscaled ?? value);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** ISO 8601, or the number itself where it is no time of the calendar. */
function day(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}

/** The day is in the upper four of twelve bytes, and the nanoseconds of the day in the others. */
const ofLegacyTime = (value: bigint): bigint =>
  ((value >> 64n) - JULIAN_EPOCH) * BigInt(DAY_MS) + BigInt.asUintN(64, value) / NANOSECONDS_A_MILLISECOND;

function unsigned(value: unknown, { converted_type, logical_type }: SchemaElement): string {
  const isUnsigned =
    converted_type?.startsWith('UINT_') || (logical_type?.type === 'INTEGER' && !logical_type.isSigned);
  if (isUnsigned && typeof value === 'bigint') return String(BigInt.asUintN(64, value));
  if (isUnsigned && typeof value === 'number') return String(value >>> 0);
  return String(value);
}
