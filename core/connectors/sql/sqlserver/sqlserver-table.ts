import { digest } from '../../../kernel/digest.ts';
import type { TableEntry } from '../engine.ts';
import { rowsIfOffered } from './login-check.ts';
import { type DatabaseRights, objectGrants, principalsOf } from './object-grants.ts';
import {
  type ColumnRow,
  type CommentRow,
  columnsOf,
  commentsOf,
  type DefinitionRow,
  definitionsOf,
  type FigureRow,
  figuresOf,
  type KeyRow,
  keysOf,
  type MemberRow,
  type ObjectRow,
  type PredicateRow,
  type PrincipalRow,
  predicatesOn,
  principals,
  type RightRow,
  rightsOn,
  roleMembers,
  type UpdateRow,
  updatesOf,
} from './sqlserver.sql.ts';
import type { SqlServerConnection } from './sqlserver-connection.ts';

/** What the catalogue shows of a table or view. */
export type Described = {
  object: ObjectRow;
  columns: readonly ColumnRow[];
  keys: readonly KeyRow[];
  comments: readonly CommentRow[];
  definition: string | null;
  figures: FigureRow | null;
  /** When rows were changed last, since the server started. Null if that is not shown. */
  lastUpdate: UpdateRow | 'never' | null;
  predicates: readonly PredicateRow[];
};

/** At most 200 tables. */
export async function describeObjects(
  connection: SqlServerConnection,
  objects: readonly ObjectRow[],
): Promise<Described[]> {
  if (objects.length === 0) return [];
  const ids = objects.map(({ object_id }) => object_id);
  const columns = await connection.rows<ColumnRow>(columnsOf(ids));
  const keys = await connection.rows<KeyRow>(keysOf(ids));
  const comments = await connection.rows<CommentRow>(commentsOf(ids));
  const definitions = await connection.rows<DefinitionRow>(definitionsOf(ids));
  const figures = await connection.rows<FigureRow>(figuresOf(ids));
  const updates = await rowsIfOffered<UpdateRow>(connection, updatesOf(ids));
  const predicates = await connection.rows<PredicateRow>(predicatesOn(ids));
  return objects.map((object) => {
    const isIts = ({ object_id: id }: { object_id: number }) => id === object.object_id;
    return {
      object,
      columns: columns.filter(isIts),
      keys: keys.filter(isIts),
      comments: comments.filter(isIts),
      definition: definitions.find(isIts)?.definition ?? null,
      figures: figures.find(isIts) ?? null,
      lastUpdate: updates === null ? null : (updates.find(isIts) ?? 'never'),
      predicates: predicates.filter(isIts),
    };
  });
}

const MAX_PRINCIPALS = 20_000;
const MAX_RIGHTS = 50_000;

export async function rightsOver(
  connection: SqlServerConnection,
  objects: readonly ObjectRow[],
): Promise<DatabaseRights> {
  const ids = objects.map(({ object_id }) => object_id);
  const rows = await connection.rows<PrincipalRow>(principals(MAX_PRINCIPALS));
  const members = await connection.rows<MemberRow>(roleMembers(MAX_PRINCIPALS));
  const rights = await connection.rows<RightRow>(rightsOn(ids, MAX_RIGHTS));
  return { principals: principalsOf(rows, members), rights };
}

const PAGE_BYTES = 8_192;

/** @param offsetMinutes of the time of the server from UTC */
export function entryOf(described: Described, rights: DatabaseRights, offsetMinutes: number): TableEntry {
  const { object, columns, keys, comments, definition, figures, predicates } = described;
  const isView = object.type.trim() === 'V';
  const { grants } = objectGrants(rights, grantedTable(object));
  return {
    id: String(object.object_id),
    schema: object.schema_name,
    name: object.table_name,
    kind: isView ? 'view' : 'table',
    structure: digest(
      columns.map((column) => [column.name, typeOf(column)]),
      keys,
      comments,
      isView ? definition : null,
    ),
    access: digest(
      grants,
      columns.map(({ is_masked: masked }) => masked),
      predicates,
    ),
    activity: isView ? null : activityOf(described),
    sizeBytes: Number(figures?.used_pages ?? 0) * PAGE_BYTES,
    createdAt: isoOf(object.create_date, offsetMinutes),
    modifiedAt: isoOf(object.modify_date, offsetMinutes),
  };
}

export const grantedTable = ({ object_id: objectId, schema_id: schemaId, owner_id: ownerId }: ObjectRow) => ({
  objectId,
  schemaId,
  ownerId,
});

/** A number of rows alone does not change when rows are. */
function activityOf({ figures, lastUpdate }: Described): string | null {
  if (lastUpdate === null) return null;
  return digest(figures?.row_count ?? null, lastUpdate === 'never' ? null : lastUpdate.last_update);
}

/** By the offset of now, so a time of the other half of the year may be an hour off. */
function isoOf(time: string, offsetMinutes: number): string | null {
  const at = Date.parse(`${time}Z`);
  return Number.isNaN(at) ? null : new Date(at - offsetMinutes * 60_000).toISOString();
}

/** `nvarchar(80)`, `decimal(9,2)`, `varbinary(max)`. */
export function typeOf({
  type_name: type,
  base_type: base,
  max_length: length,
  digits,
  scale,
}: ColumnRow): string {
  const of = base ?? type;
  const isWide = of === 'nvarchar' || of === 'nchar';
  if (isWide || ['varchar', 'char', 'varbinary', 'binary'].includes(of))
    return `${type}(${length === -1 ? 'max' : length / (isWide ? 2 : 1)})`;
  if (of === 'decimal' || of === 'numeric') return `${type}(${digits},${scale})`;
  return type;
}
