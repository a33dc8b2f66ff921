import type { Client } from 'pg';

/** The first line of a numbered file whose statements run one by one, outside a transaction. */
const FIRST_LINE = /^--! concurrently\n/;
const STATEMENT =
  /^(?:create (?:unique )?index concurrently if not exists (?<created>\w+)\s+on public\.|drop index concurrently if exists public\.\w+$)/;

/** A statement that builds or drops an index while the table is in use. */
export type IndexStatement = {
  text: string;
  /** The index that it builds; null for one that it drops. */
  created: string | null;
};

/**
 * The statements of a file that begins with `--! concurrently`, and null for any other file.
 * @returns the text of a statement that is not allowed there, instead of the statements
 */
export function indexStatements(file: string): IndexStatement[] | { refused: string } | null {
  if (!FIRST_LINE.test(file)) return null;
  const texts = file
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const statements: IndexStatement[] = [];
  for (const text of texts) {
    const found = STATEMENT.exec(text);
    if (found === null) return { refused: text };
    statements.push({ text, created: found.groups?.created ?? null });
  }
  return statements;
}

/**
 * Runs the statements, each in a transaction that Postgres makes for it. A build that was killed leaves an invalid
 * index: it is dropped and built again. So running all of them twice is the same as once.
 */
export async function runIndexStatements(
  client: Client,
  statements: readonly IndexStatement[],
): Promise<void> {
  for (const { text, created } of statements) {
    if (created !== null && (await isInvalid(client, created)))
      await client.query(`drop index concurrently if exists public.${created}`);
    await client.query(text);
  }
}

async function isInvalid(client: Client, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [`public.${index}`],
  );
  return rows.length > 0;
}
