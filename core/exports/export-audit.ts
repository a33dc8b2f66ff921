import type { AuditCategory } from '../audit/event.ts';
import { AUDIT_COLUMNS, auditCells, auditExportSource, auditNdjson } from '../audit/export.ts';
import { eventPages } from '../audit/trail.ts';
import type { StoredEvent } from '../audit/verify.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

/** The whole trail as it is now, with its checkpoints, in the form that can be verified without a database. */
export async function* auditTrailText(reading: Reading): AsyncGenerator<string> {
  yield* auditNdjson(await auditExportSource(reading));
}

/** Pages of the trail as it is now, the oldest event first; of one category where one is given. */
export async function* auditPages(
  reading: Reading,
  category: AuditCategory | undefined,
): AsyncGenerator<StoredEvent[]> {
  for await (const page of eventPages(await auditExportSource(reading))) {
    yield category === undefined ? page : page.filter((event) => categoryOf(event) === category);
  }
}

const categoryOf = ({ record }: StoredEvent) =>
  (JSON.parse(record) as { event: { category: AuditCategory } }).event.category;

export const auditTable: Table<StoredEvent> = { columns: AUDIT_COLUMNS, cells: auditCells };
