import { setTimeout } from 'node:timers/promises';
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

/** How long a statement waits for transactions that are older than it, and how often it is asked what it waits for. */
const WAIT_MS = 600_000;
const POLL_MS = 1_000;

type Watch = {
  /** Another connection of the same login, outside a transaction. It asks what a statement waits for. */
  watcher: Client;
  /** Reports, once for each statement, that it waits. */
  report: (waiting: string) => void;
  waitMs?: number;
};

/**
 * Runs the statements, each in a transaction that Postgres makes for it. A build that was killed leaves an invalid
 * index: it is dropped and built again. So running all of them twice is the same as once. A statement waits for every
 * transaction that began before it. One that waits too long is cancelled, and the error says for whom.
 */
export async function runIndexStatements(
  builder: Client,
  statements: readonly IndexStatement[],
  watch: Watch,
): Promise<void> {
  for (const { text, created } of statements) {
    if (created !== null && (await isInvalid(builder, created)))
      await runWatched(builder, `drop index concurrently if exists public.${created}`, watch);
    await runWatched(builder, text, watch);
  }
}

async function runWatched(
  builder: Client,
  text: string,
  { watcher, report, waitMs = WAIT_MS }: Watch,
): Promise<void> {
  const done = builder.query(text).then(() => true);
  // It is awaited below, unless the watcher's connection breaks first.
  done.catch(() => undefined);
  let waitsSince: number | null = null;
  let isReported = false;
  while (!(await Promise.race([done, setTimeout(POLL_MS, false, { ref: false })]))) {
    const { pid, holders } = await waitOf(watcher, text);
    if (holders.length === 0) waitsSince = null;
    if (pid === null || holders.length === 0) continue;
    waitsSince ??= performance.now();
    const waiting = `waits for older transactions, of the database processes ${holders.join(', ')}`;
    if (!isReported) report(waiting);
    isReported = true;
    if (performance.now() - waitsSince < waitMs) continue;
    await watcher.query('select pg_cancel_backend($1)', [pid]);
    // It can have ended at the same moment.
    if (await done.catch(() => false)) return;
    throw new Error(
      `an index ${waiting}, for ${Math.round(waitMs / 60_000)} minutes now. End them with pg_terminate_backend, or wait, and run again`,
    );
  }
}

/** The process that runs a statement of this login, and the ones that it waits for. Works behind a pooler too. */
async function waitOf(
  watcher: Client,
  text: string,
): Promise<{ pid: number | null; holders: readonly number[] }> {
  const { rows } = await watcher.query<{ pid: number; holders: number[] }>(
    `select pid, pg_blocking_pids(pid) as holders from pg_stat_activity
      where datname = current_database() and usename = current_user and state = 'active' and query = $1`,
    [text],
  );
  return rows[0] ?? { pid: null, holders: [] };
}

async function isInvalid(client: Client, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [`public.${index}`],
  );
  return rows.length > 0;
}
