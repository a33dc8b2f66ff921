import type { TableSample } from '../../core/kernel/table-sample.ts';

type Column = TableSample['columns'][number];

/** A column by its name, or with more. The values are those of its place in each row. */
export type ColumnSpec = string | (Partial<Column> & { name: string });

/** A sample with all rows of its table, unless `more` says something else. */
export function tableOf(
  columns: readonly ColumnSpec[],
  rows: readonly (readonly (string | null)[])[],
  more: Partial<TableSample> = {},
): TableSample {
  return {
    database: 'crm',
    schema: 'public',
    table: 'customers',
    kind: 'table',
    comment: null,
    columns: columns.map((column) => ({
      type: 'text',
      comment: null,
      key: null,
      masked: false,
      ...(typeof column === 'string' ? { name: column } : column),
    })),
    rows: rows.map((row) => [...row]),
    estimatedRows: rows.length,
    allRowsVisible: true,
    ...more,
  };
}

export const bytesOf = (sample: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(sample));

/** Numbers that repeat for a seed: xorshift. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const digits = (random: (below: number) => number, count: number) =>
  Array.from({ length: count }, () => random(10)).join('');

/** ISO 13616: the two check digits make the number of the moved characters 1 modulo 97. */
export function iban(random: (below: number) => number): string {
  const account = `${1 + random(8)}${digits(random, 17)}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${account}`;
}

/** A Polish number of a person: date of birth, serial, check digit of the weights 1, 3, 7, 9. */
export function pesel(random: (below: number) => number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const body = `${two(random(100))}${two(1 + random(12))}${two(1 + random(28))}${digits(random, 4)}`;
  const weights = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];
  const sum = weights.reduce((total, weight, i) => total + weight * Number(body[i]), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

const GIVEN = ['Anna', 'Maria', 'Peter', 'Thomas', 'Julia', 'Lukas', 'Sophie', 'Michael'];
const FAMILY = ['Schneider', 'Fischer', 'Wagner', 'Becker', 'Hoffmann', 'Keller', 'Brandt', 'Vogel'];

/** Rows of id, name, IBAN and e-mail address. */
export function customers(count: number, seed = 7): string[][] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, i) => {
    const [given, family] = [GIVEN[random(GIVEN.length)], FAMILY[random(FAMILY.length)]];
    return [
      String(i + 1),
      `${given} ${family}`,
      iban(random),
      `${given}.${family}${i}@post.example.org`.toLowerCase(),
    ];
  });
}
