import { zip } from './packages.ts';
import { double, short, word } from './words.ts';

/** A record of a binary part. Type and size have seven bits per byte. */
export function record(type: number, ...parts: Uint8Array[]): Buffer {
  const bytes = Buffer.concat(parts);
  return Buffer.concat([sevenBits(type), sevenBits(bytes.length), bytes]);
}

function sevenBits(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left >>= 7) bytes.push((left & 0x7f) | 0x80);
  return Buffer.from([...bytes, left]);
}

export const text = (value: string) => Buffer.concat([word(value.length), Buffer.from(value, 'utf16le')]);
export const richText = (value: string) => Buffer.concat([Buffer.from([0]), text(value)]);

const cell = (style: number) => Buffer.concat([word(0), word(style)]);
export const row = record(0, word(0));
export const label = (value: string) => record(6, cell(0), text(value));
export const sharedLabel = (index: number) => record(7, cell(0), word(index));
export const number = (value: number, style = 0) => record(5, cell(style), double(value));
export const rk = (value: number, style = 0) => record(2, cell(style), word(value));
export const other = (type: number, value: Uint8Array) => record(type, cell(0), value);

/** Cell styles with these formats. The first format belongs to no cell. */
export const styles = (codes: Readonly<Record<number, string>>) =>
  Buffer.concat([
    ...Object.entries(codes).map(([id, code]) => record(44, short(Number(id)), text(code))),
    record(47, short(0), short(14)),
    record(617, word(0)),
    ...[0, ...Object.keys(codes).map(Number)].map((id) => record(47, short(0), short(id))),
    record(618),
  ]);

export const xlsb = (parts: Readonly<Record<string, string | Uint8Array>>) =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.bin': record(156, word(0), word(1), text('rId1'), text('Payroll')),
    ...parts,
  });
