import type { LabelObservation, SensitivityLabel } from '../../connector.ts';
import type { SampleBounds, SampleRead, SqlEngine, SqlSession } from '../engine.ts';
import { checkLogin, rowsIfOffered } from './login-check.ts';
import { objectGrants } from './object-grants.ts';
import {
  type ClassificationRow,
  classifications,
  classificationsOf,
  hasDatabaseRight,
  type ObjectRow,
  objectsAfter,
  objectWithId,
  offsetOfServer,
  type RightAnswer,
  type SchemaRow,
  schemasNamed,
} from './sqlserver.sql.ts';
import { openSqlServer, type SqlServerConnection } from './sqlserver-connection.ts';
import { sqlServerError, sqlServerFailure, tableRefusal } from './sqlserver-failure.ts';
import { readSample } from './sqlserver-sample.ts';
import { describeObjects, entryOf, grantedTable, rightsOver } from './sqlserver-table.ts';

/** SQL Server from 2016 on, Azure SQL Database and Managed Instance. */
export const sqlServerEngine: SqlEngine = {
  connect: async (target, signal) => sessionOn(await openSqlServer(target, signal), target.database),
};

/** The numbers of tables are positive. */
const BEFORE_ALL = 0;
const MAX_ID = 2_147_483_647;
const MAX_LABELS = 1_000;

function sessionOn(connection: SqlServerConnection, database: string): SqlSession {
  const failing = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const known = sqlServerError(error);
      throw known === null ? error : sqlServerFailure(known);
    }
  };
  const objectOf = async (id: string): Promise<ObjectRow | null> => {
    if (!/^[1-9]\d{0,9}$/.test(id) || Number(id) > MAX_ID) return null;
    return (await connection.rows<ObjectRow>(objectWithId(Number(id))))[0] ?? null;
  };
  const entriesOf = async (objects: readonly ObjectRow[]) => {
    if (objects.length === 0) return [];
    const [offset] = await connection.rows<{ minutes: number }>(offsetOfServer);
    const rights = await rightsOver(connection, objects);
    const described = await describeObjects(connection, objects);
    return described.map((each) => entryOf(each, rights, offset?.minutes ?? 0));
  };

  return {
    login: () => failing(() => checkLogin(connection)),
    schemas: (names) =>
      failing(async () => {
        if (names.length === 0) return [];
        const rows = await connection.rows<SchemaRow>(schemasNamed(names));
        return rows.map(({ name }) => name);
      }),
    tables: ({ schemas, after, limit }) =>
      failing(async () =>
        schemas?.length === 0
          ? []
          : entriesOf(
              await connection.rows<ObjectRow>(
                objectsAfter(schemas, after === null ? BEFORE_ALL : Number(after), limit),
              ),
            ),
      ),
    table: (id) =>
      failing(async () => {
        const object = await objectOf(id);
        return object === null ? null : ((await entriesOf([object]))[0] ?? null);
      }),
    permissions: (id) =>
      failing(async () => {
        const object = await objectOf(id);
        return object === null
          ? null
          : objectGrants(await rightsOver(connection, [object]), grantedTable(object));
      }),
    label: (id) =>
      failing(async () => {
        const object = await objectOf(id);
        return object === null ? { state: 'unknown' } : labelOf(connection, object);
      }),
    labels: () => failing(() => labelsOf(connection)),
    sample: (id, bounds) =>
      failing(async () => {
        const object = await objectOf(id);
        return object === null ? { state: 'gone' } : sampleOf(connection, database, object, bounds);
      }),
    close: async () => connection.close(),
  };
}

/** The one of the highest rank of its columns. */
async function labelOf(connection: SqlServerConnection, object: ObjectRow): Promise<LabelObservation> {
  const rows = await rowsIfOffered<ClassificationRow>(connection, classificationsOf(object.object_id));
  if (rows === null) return { state: 'unknown' };
  const [strongest] = rows.flatMap(labelIn).sort((one, other) => other.rank - one.rank);
  if (strongest !== undefined)
    return { state: 'labeled', labelGuid: strongest.guid, labelName: strongest.name };
  // A classification is hidden from a login without the right to view it.
  const [right] = await connection.rows<RightAnswer>(hasDatabaseRight('VIEW ANY SENSITIVITY CLASSIFICATION'));
  return { state: right?.granted === 1 ? 'unlabeled' : 'unknown' };
}

async function labelsOf(connection: SqlServerConnection): Promise<SensitivityLabel[]> {
  const rows = await rowsIfOffered<ClassificationRow>(connection, classifications(MAX_LABELS));
  const labels = new Map<string, SensitivityLabel>();
  for (const { guid, name } of (rows ?? []).flatMap(labelIn))
    if (!labels.has(guid)) labels.set(guid, { guid, name });
  return [...labels.values()];
}

/** A classification may have a type of information and no label, and a label may have a name and no id. */
function labelIn({ label, label_id: id, rank }: ClassificationRow) {
  const guid = id || label;
  return guid ? [{ guid, name: label || guid, rank: rank ?? -1 }] : [];
}

async function sampleOf(
  connection: SqlServerConnection,
  database: string,
  object: ObjectRow,
  bounds: SampleBounds,
): Promise<SampleRead> {
  const [described] = await describeObjects(connection, [object]);
  if (described === undefined || described.columns.length === 0) return { state: 'denied' };
  try {
    return { state: 'read', sample: await readSample(connection, database, described, bounds) };
  } catch (error) {
    const known = sqlServerError(error);
    const refusal = known === null ? null : tableRefusal(known, object.type.trim() === 'V');
    if (refusal === null) throw error;
    return { state: refusal };
  }
}
