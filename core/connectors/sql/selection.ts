import { ConnectorError } from '../connector.ts';
import type { SqlConnection } from './connection.ts';

/** The schemas of a database that are read. Null for all of them. */
export type SelectedSchemas = readonly string[] | null;

const ALL = '*';

/**
 * The selected databases by name, in the order of their names. An entry is a schema of the database of the connection,
 * `DATABASE/SCHEMA`, or either with `*` for all schemas. MySQL has no schemas: an entry is a database there, and `*` the
 * one of the connection. Throws `ConnectorError` for an entry that names no database.
 */
export function selectedDatabases(
  { engine, database }: Pick<SqlConnection, 'engine' | 'database'>,
  entries: readonly string[],
): ReadonlyMap<string, SelectedSchemas> {
  const parsed = entries.map((entry) =>
    engine === 'mysql' ? { database: entry === ALL ? database : entry, schema: ALL } : split(entry, database),
  );
  const selected = new Map<string, string[]>();
  for (const { database: name, schema } of parsed) {
    if (name === null || name === '' || schema === '')
      throw new ConnectorError('permanent', 'sql_selection_invalid');
    selected.set(name, [...(selected.get(name) ?? []), schema]);
  }
  return new Map(
    [...selected.keys()].sort().map((name) => {
      const schemas = [...new Set(selected.get(name))].sort();
      return [name, schemas.includes(ALL) ? null : schemas];
    }),
  );
}

function split(entry: string, database: string | null) {
  const at = entry.indexOf('/');
  return at === -1
    ? { database, schema: entry }
    : { database: entry.slice(0, at), schema: entry.slice(at + 1) };
}
