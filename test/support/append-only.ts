import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';

/** Tables that a trigger `<table>_append_only` protects. */
export const APPEND_ONLY = [
  'inferences',
  'decisions',
  'assertions',
  'asset_versions',
  'audit_events',
  'audit_checkpoints',
  'action_transitions',
  'policy_document_versions',
  'release_transitions',
  'dataset_snapshots',
  'dataset_snapshot_items',
] as const;

/** Lets a test change protected rows of a table, to create old rows or to tamper with them. */
export const allowRewriting = (
  database: TestDatabase,
  table: (typeof APPEND_ONLY)[number],
): Promise<unknown> =>
  database.inspect(sql`alter table ${sql.ident(table)} disable trigger ${sql.ident(`${table}_append_only`)}`);
