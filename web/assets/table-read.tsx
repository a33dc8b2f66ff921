import type { TableRead as Read } from '../../client/generated/service.schemas.ts';

const counted = (number: number, one: string, many = `${one}s`) =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** As `sampled 10,000 of about 2,000,000 rows`. A sample is never said to be everything. */
export function rowsRead({ rows, estimatedRows }: Read): string {
  if (estimatedRows === null) return `${counted(rows, 'row')} read, of an unknown number`;
  if (rows >= estimatedRows) return `${counted(rows, 'row')} read`;
  return `sampled ${rows.toLocaleString()} of about ${counted(estimatedRows, 'row')}`;
}

/** Parts of rows per hundred, rounded down: a sample is not the whole. */
function shareOf({ rows, estimatedRows }: Read): string | null {
  if (estimatedRows === null || rows >= estimatedRows) return null;
  const percent = (100 * rows) / estimatedRows;
  return percent < 1 ? 'less than 1 %' : `${Math.floor(percent)} %`;
}

/** How much of a table was read, and what is hidden from the service. */
export function TableRead({ table }: { table: Read }) {
  const { columns, maskedColumns, binaryColumns, allRowsVisible } = table;
  const share = shareOf(table);
  const shown = rowsRead(table);
  return (
    <>
      <p>
        {shown.charAt(0).toUpperCase() + shown.slice(1)}
        {share !== null && ` (${share})`}, {counted(columns, 'column')}.
        {share !== null && ' What is in the other rows is not known.'}
      </p>
      {(allRowsVisible === false || maskedColumns > 0) && (
        <p className="strong">Partly visible to the service.</p>
      )}
      {allRowsVisible === false && <p>Row security hides rows from it.</p>}
      {allRowsVisible === null && <p className="dim">Whether row security hides rows is not known.</p>}
      {maskedColumns > 0 && (
        <p>
          The database shows something else instead of the values of {counted(maskedColumns, 'column')}. They
          were not read.
        </p>
      )}
      {binaryColumns > 0 && (
        <p className="dim">{counted(binaryColumns, 'column')} of bytes that are no text were not read.</p>
      )}
    </>
  );
}
