import type { Lock, TableEffect } from './migration-effects.ts';
import { type PlannedMigration, type PlannedTable, type Seconds, sumOf } from './migration-plan.ts';

/** Each lock with who waits for it until the migration has ended. */
const WAITS: Readonly<Record<Lock, string>> = {
  AccessExclusiveLock: 'ACCESS EXCLUSIVE (reads and writes wait)',
  ExclusiveLock: 'EXCLUSIVE (writes wait)',
  ShareRowExclusiveLock: 'SHARE ROW EXCLUSIVE (writes wait)',
  ShareLock: 'SHARE (writes wait)',
  ShareUpdateExclusiveLock: 'SHARE UPDATE EXCLUSIVE (only vacuum and other migrations wait)',
  RowExclusiveLock: 'ROW EXCLUSIVE (only writes of the same rows wait)',
};

/** The plan for the person who decides when to migrate. */
export function planText(plan: readonly PlannedMigration[]): string {
  if (plan.length === 0) return 'Nothing to do: the schema is up to date.';
  const all = sumOf(plan.map(({ seconds }) => seconds));
  return [
    ...plan.flatMap(linesOf),
    '',
    `${counted(plan.length, 'migration')} to run, in this order, each in a transaction of its own. Expected in all: ${timeOf(all)}.`,
    'A migration holds its locks until it ends. If it waits 10 s for a lock, it gives up and changes nothing.',
    'Rows are estimates of Postgres. docs/deployment.md says where the times come from.',
  ].join('\n');
}

const linesOf = ({ name, statements, tables, seconds }: PlannedMigration): string[] => {
  const kinds = Object.entries(statements).map(([kind, count]) => `${count} ${kind}`);
  return [
    `${name}: ${kinds.join(', ') || 'not known: run the tests of this release'}. Expected: ${timeOf(seconds)}.`,
    ...tables.map(lineOf),
  ];
};

const lineOf = ({ table, effect, size, seconds }: PlannedTable): string =>
  `  ${table}, ${counted(Math.round(size.rows), 'row')}, ${sizeText(size.bytesWithIndexes)}: ${WAITS[effect.lock]}, ${workOf(effect)}, ${timeOf(seconds)}`;

function workOf({ rewrites, scans, changesRows, indexes }: TableEffect): string {
  const work = [
    ...(rewrites === true ? ['writes it again'] : []),
    ...(indexes !== undefined ? [`builds ${counted(indexes, 'index', 'indexes')}`] : []),
    ...(changesRows === true ? ['changes rows'] : []),
    ...(scans === true ? ['reads it'] : []),
  ];
  return work.length === 0 ? 'changes its definition only' : work.join(' and ');
}

const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

const UNITS = ['kB', 'MB', 'GB', 'TB'];

function sizeText(bytes: number): string {
  const steps = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 1), UNITS.length);
  return `${Number((bytes / 1000 ** steps).toPrecision(3))} ${UNITS[steps - 1]}`;
}

function timeOf({ least, most }: Seconds): string {
  if (most < 1) return 'below 1 s';
  return `${least < 1 ? 'below 1 s' : durationOf(least)} to ${durationOf(most)}`;
}

const durationOf = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
