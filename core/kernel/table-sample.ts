import { z } from 'zod';

/** The media type of the content that a connector gives for an item of kind `table`: a `TableSample` as UTF-8 JSON. */
export const TABLE_SAMPLE_TYPE = 'application/vnd.table-sample+json';

const Name = z.string().max(512);
const Comment = z.string().max(4096).nullable();

/** What was read of a table or view of a database. */
export const TableSample = z.strictObject({
  database: Name,
  schema: Name,
  table: Name,
  kind: z.enum(['table', 'view']),
  comment: Comment,
  columns: z
    .array(
      z.strictObject({
        name: Name,
        /** As the database writes it, such as `character varying(80)`. */
        type: Name,
        comment: Comment,
        key: z.enum(['primary', 'foreign']).nullable(),
        /** The database shows this login something else than the stored value. */
        masked: z.boolean(),
      }),
    )
    .max(4096),
  /** A value for each column, as text. Null if the database has none. Long values are cut. */
  rows: z.array(z.array(z.string().max(4096).nullable())).max(10_000),
  /** How many rows there are: counted if all were read, else the database's own estimate. Null if neither is known. */
  estimatedRows: z.number().int().min(0).nullable(),
  /** False if row security hides rows from this login, null if that is not known. */
  allRowsVisible: z.boolean().nullable(),
});
export type TableSample = z.infer<typeof TableSample>;
