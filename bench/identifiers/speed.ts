import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { median } from '../support/rounds.ts';

const MEGABYTE = 1_000_000;

/** Texts to measure speed on, by name. */
export type Material = { prose: string; denseCsv: string };

/** Prose is from the corpus. The table is generated, because a corpus repeats a few values. */
export async function speedMaterial(
  folder: string,
  sentences: readonly string[],
  characters: number,
): Promise<Material> {
  const documents = await readProse(path.join(folder, 'classification'), characters);
  const prose = documents.length > MEGABYTE ? documents : sentences.join('\n');
  return {
    prose: prose.repeat(Math.ceil(characters / prose.length)).slice(0, characters),
    denseCsv: denseCsv(characters),
  };
}

async function readProse(folder: string, characters: number): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.(?:md|txt)$/.test(entry.name));
  let prose = '';
  for (const file of files.sort((a, b) => (a.parentPath + a.name < b.parentPath + b.name ? -1 : 1))) {
    prose += await readFile(path.join(file.parentPath, file.name), 'utf8');
    if (prose.length > characters) break;
  }
  return prose;
}

/** A table of personal data, the same in every run. */
function denseCsv(characters: number): string {
  let seed = 1;
  const below = (limit: number) => {
    // Park and Miller, "Random number generators: good ones are hard to find", 1988.
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const digits = (count: number) => Array.from({ length: count }, () => below(10)).join('');
  const given = ['Anna', 'Jean', 'Maria', 'John', 'Ewa', 'Piet', 'Lucia', 'Omar'];
  const family = ['Muster', 'Dupont', 'Rossi', 'Smith', 'Nowak', 'Jansen', 'Silva', 'Haddad'];
  const pick = (list: readonly string[]) => list[below(list.length)] ?? '';
  const rows = ['id,name,email,card,iban,ssn,phone,ip,born,amount'];
  for (let length = 0; length < characters; ) {
    const [first, last] = [pick(given), pick(family)];
    const row = [
      rows.length,
      `${first} ${last}`,
      `${first}.${last}${below(100)}@example.com`.toLowerCase(),
      withLuhn(`4${digits(14)}`),
      withMod97('DE', digits(18)),
      `${100 + below(500)}-${10 + below(90)}-${1000 + below(9000)}`,
      `+1 ${200 + below(700)} ${200 + below(700)} ${digits(4)}`,
      `10.${below(256)}.${below(256)}.${below(256)}`,
      `19${10 + below(90)}-0${1 + below(9)}-${10 + below(18)}`,
      `${below(90_000)}.${10 + below(90)}`,
    ].join(',');
    rows.push(row);
    length += row.length + 1;
  }
  return rows.join('\n');
}

function withLuhn(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const twice = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (twice > 9 ? twice - 9 : twice);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** ISO 13616: 98 minus the remainder modulo 97 of the account, the country and 00, with letters as numbers. */
function withMod97(country: string, account: string): string {
  const numbers = [...`${account}${country}00`].map((character) => Number.parseInt(character, 36)).join('');
  return `${country}${String(98n - (BigInt(numbers) % 97n)).padStart(2, '0')}${account}`;
}

/**
 * The median speed of each over all texts, in megabytes per second. They alternate, so that other load on the machine
 * affects all.
 */
export function megabytesPerSecond(
  texts: readonly string[],
  contestants: readonly { name: string; run: (text: string) => void }[],
  rounds: number,
): Record<string, number> {
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / MEGABYTE;
  const samples = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const { run } of contestants) texts.forEach(run);
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const started = performance.now();
      texts.forEach(run);
      samples.get(name)?.push((megabytes * 1000) / (performance.now() - started));
    }
  }
  return Object.fromEntries([...samples].map(([name, each]) => [name, Math.round(median(each) * 100) / 100]));
}
