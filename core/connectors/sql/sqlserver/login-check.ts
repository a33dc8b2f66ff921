import type { LoginCheck } from '../engine.ts';
import {
  ownDatabaseRights,
  ownServerRights,
  type PermissionName,
  type Statement,
  usableLogin,
  usableUser,
  type WritingGrant,
  writableObject,
  writableSchema,
  writingGrant,
} from './sqlserver.sql.ts';
import type { SqlServerConnection } from './sqlserver-connection.ts';
import { isNotOffered, sqlServerError } from './sqlserver-failure.ts';

/** They change nothing. Any other right, and one that a later release adds, is more than reading. */
const READS =
  /^(?:CONNECT|CONNECT SQL|CONNECT ANY DATABASE|SELECT|SELECT ALL USER SECURABLES|VIEW .+|UNMASK|SHOWPLAN)$/;

/** By the effective rights of the login, as the server itself computes them. */
export async function checkLogin(connection: SqlServerConnection): Promise<LoginCheck> {
  const server = await connection.rows<PermissionName>(ownServerRights);
  if (!onlyReads(server)) return { state: 'writes', by: 'administrator' };
  const database = await connection.rows<PermissionName>(ownDatabaseRights);
  // Whoever is connected has at least the right to connect.
  if (database.length === 0) return { state: 'unchecked' };
  if (!onlyReads(database)) return { state: 'writes', by: 'database' };
  if ((await connection.rows(writableSchema)).length > 0) return { state: 'writes', by: 'schema' };
  const [object] = await connection.rows<{ type: string }>(writableObject);
  if (object !== undefined) return { state: 'writes', by: kindOf(object.type.trim()) };
  if ((await connection.rows(usableUser)).length > 0) return { state: 'writes', by: 'role' };
  const [grant] = await connection.rows<WritingGrant>(writingGrant);
  if (grant !== undefined) return { state: 'writes', by: levelOf(grant) };
  if (((await rowsIfOffered(connection, usableLogin)) ?? []).length > 0)
    return { state: 'writes', by: 'administrator' };
  return { state: 'reads' };
}

const onlyReads = (rights: readonly PermissionName[]) =>
  rights.every(({ permission_name: name }) => READS.test(name));

const OBJECT = 1;
const levelOf = ({ class: level, minor_id: column }: WritingGrant) =>
  level === OBJECT && column > 0 ? 'column' : 'database';

function kindOf(type: string) {
  if (type === 'SO') return 'sequence';
  return type === 'U' || type === 'V' ? 'table' : 'database';
}

/** Null where the release or the edition does not have what is asked for, or hides it from the login. */
export async function rowsIfOffered<Row extends Readonly<Record<string, string | number | null>>>(
  connection: SqlServerConnection,
  statement: Statement,
): Promise<Row[] | null> {
  try {
    return await connection.rows<Row>(statement);
  } catch (error) {
    const known = sqlServerError(error);
    if (known !== null && isNotOffered(known)) return null;
    throw error;
  }
}
