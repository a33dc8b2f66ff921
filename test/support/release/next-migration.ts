import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { copyMigrations } from '../migration-folder.ts';

/** What a next release may do to tables that are in use: add columns with values, constraints, and an index. */
const NEXT = `
  alter table work_units add column next_note text not null default 'none';
  alter table assets add column next_rank integer not null default 1;
  alter table assets add constraint assets_next_rank check (next_rank > 0) not valid;
  create index assets_next on assets (tenant_id, next_rank, asset_id);
  create table next_notes (tenant_id text not null references tenants, note text not null);
`;

/** The migrations of a next release: the present ones, and one more. */
export async function nextMigrations(text = NEXT): Promise<{ folder: string; remove(): Promise<void> }> {
  const next = await copyMigrations();
  await writeFile(path.join(next.folder, '9999_next.sql'), text);
  return next;
}
