/** A column of a table in the text that was extracted of the table. Its values are lines of [start, end). */
export type ColumnText = {
  readonly name: string;
  /** Its place among the columns of the table, from 1. */
  readonly number: number;
  readonly comment: string | null;
  /** UTF-16 offsets. Equal if no value of the column is in the text. */
  readonly start: number;
  readonly end: number;
  /** How many values are in the text. Nulls and empty values are none. */
  readonly values: number;
  /** Whether the database keeps its values as numbers, as it does amounts and counters. */
  readonly isNumber: boolean;
  readonly isKey: boolean;
};

/** How much of a table was read. It is kept, and holds no value. */
export type TableRead = {
  readonly kind: 'table' | 'view';
  readonly rows: number;
  /** How many rows the database says that there are. Null if it does not say. */
  readonly estimatedRows: number | null;
  readonly columns: number;
  /** Columns whose values the database masks. They were not read. */
  readonly maskedColumns: number;
  /** Columns of bytes that are no text. */
  readonly binaryColumns: number;
  /** False if row security hides rows. Null if that is not known. */
  readonly allRowsVisible: boolean | null;
};

/** Where the columns of a table are in its text, ascending, and how much of the table that is. */
export type TableText = { readonly columns: readonly ColumnText[]; readonly read: TableRead };
