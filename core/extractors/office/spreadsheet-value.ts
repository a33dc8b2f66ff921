/**
 * Decodes a number of 30 bits ([MS-XLS] 2.5.217, [MS-XLSB] 2.5.122): an integer or the upper half of a double,
 * possibly divided by 100.
 */
export function rkNumber(word: number): number {
  const half = Buffer.alloc(8);
  half.writeUInt32LE((word & 0xffff_fffc) >>> 0, 4);
  const value = (word & 2) === 0 ? half.readDoubleLE(0) : word >> 2;
  return (word & 1) === 0 ? value : value / 100;
}

const ERRORS: ReadonlyMap<number, string> = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
]);

/** What a cell with a failed formula displays ([MS-XLS] 2.5.10). */
export const errorText = (code: number): string => ERRORS.get(code) ?? '#ERROR';

export const booleanText = (value: number): string => (value === 0 ? 'FALSE' : 'TRUE');
