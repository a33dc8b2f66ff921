import { BYTE_ORDER_MARK, type Cell, csvLine } from '../exports/csv.ts';
import type { Result } from './answer-schema.ts';
import type { Plan } from './plan.ts';
import { EvidenceRowSchema } from './rows.sql.ts';

/** What the plan asks for as CSV: its groups, its number, or its rows. */
export function answerCsv(
  { subject, show }: Pick<Plan, 'subject' | 'show'>,
  { groups, rows, count, sizeBytes }: Result,
): string {
  if (groups !== null) {
    return table(
      [...groups.dimensions, 'count', 'sizeBytes'],
      groups.items.map((group) => [...group.keys, group.count, group.sizeBytes]),
    );
  }
  if (show === 'count') return table(['count'], [[count]]);
  if (show === 'size') return table(['count', 'sizeBytes'], [[count, sizeBytes]]);
  const columns = columnsOf(subject);
  return table(
    columns,
    rows.map((row) => columns.map((column) => (row as Readonly<Record<string, Cell>>)[column] ?? null)),
  );
}

const columnsOf = (subject: Plan['subject']): string[] =>
  EvidenceRowSchema.options.flatMap(({ shape }) =>
    shape.subject.value === subject ? Object.keys(shape) : [],
  );

const table = (columns: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK + [columns, ...rows].map(csvLine).join('');
