import { BYTE_ORDER_MARK, type Cell, csvLine } from '../exports/csv.ts';
import type { Result } from './answer-schema.ts';
import type { Plan } from './plan.ts';
import { EvidenceRowSchema } from './rows.sql.ts';

/** What the plan asks for as CSV: its groups, its number, or its rows. */
export function answerCsv(
  { subject, show, share }: Pick<Plan, 'subject' | 'show' | 'share'>,
  { groups, compared, rows, count, sizeBytes, partCount }: Result,
): string {
  if (compared !== null) {
    return table(
      ['domain', 'earlierDay', 'earlierCount', 'laterDay', 'laterCount', 'change'],
      compared.items.map(({ domainName, earlier, later, change }) => [
        domainName,
        earlier?.day ?? null,
        earlier?.count ?? null,
        later?.day ?? null,
        later?.count ?? null,
        change,
      ]),
    );
  }
  if (groups !== null) {
    return table(
      [...groups.dimensions, 'count', share === undefined ? 'sizeBytes' : 'partCount'],
      groups.items.map((group) => [
        ...group.keys,
        group.count,
        share === undefined ? group.sizeBytes : group.partCount,
      ]),
    );
  }
  if (share !== undefined) return table(['count', 'partCount'], [[count, partCount]]);
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
