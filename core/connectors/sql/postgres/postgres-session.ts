import type { Client } from 'pg';
import type { Grant, Permissions } from '../../connector.ts';
import {
  CATALOGUE_MS,
  type LoginCheck,
  SAMPLE_MS,
  type SqlSession,
  type TableEntry,
  type WritingRight,
} from '../engine.ts';
import { SCHEMAS, TABLE, TABLES, type TableRow } from './catalogue.sql.ts';
import { failureOf, stateOf } from './failure.ts';
import { GRANTS, type GrantRow, IS_FOREIGN } from './grants.sql.ts';
import { PARAMETERS_FROM, SETS_PARAMETERS, WRITES } from './login.sql.ts';
import { type Asked, type ReadOnly, readOnlyOf } from './read-only.ts';
import { readSample } from './table-sample.ts';

/** More who can reach one table are not read. */
const MAX_GRANTS = 1_000;

export function createPostgresSession(client: Client, database: string): SqlSession {
  const readOnly = readOnlyOf(client);
  const ofCatalogue = async <T>(use: (asked: Asked) => Promise<T>): Promise<T> => {
    try {
      return await readOnly(CATALOGUE_MS, 'left_out', use);
    } catch (error) {
      throw failureOf(error);
    }
  };

  return {
    login: () => loginOf(readOnly),
    schemas: (names) =>
      ofCatalogue(async ({ rows }) =>
        (await rows<{ name: string }>(SCHEMAS, [names])).map(({ name }) => name),
      ),
    tables: ({ schemas, after, limit }) =>
      ofCatalogue(async ({ rows }) => (await rows<TableRow>(TABLES, [schemas, after, limit])).map(entryOf)),
    table: (id) =>
      isId(id)
        ? ofCatalogue(async ({ rows }) => (await rows<TableRow>(TABLE, [id])).map(entryOf)[0] ?? null)
        : Promise.resolve(null),
    permissions: async (id) =>
      isId(id) ? ofCatalogue((transaction) => readPermissions(transaction, id)) : null,
    // Security labels of Postgres are of modules for access, not of the sensitivity of data.
    label: async () => ({ state: 'unknown' }),
    labels: async () => [],
    sample: async (id, bounds) => {
      if (!isId(id)) return { state: 'gone' };
      try {
        return await readSample((hidden, use) => readOnly(SAMPLE_MS, hidden, use), { database, id }, bounds);
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: async () => {
      await client.end().catch(() => undefined);
    },
  };
}

/** The login may not look, or the server has not what is asked: another one with the protocol of Postgres. */
const NOT_KNOWN = /^(?:42501|42883|42P01|42703|42704|0A000)$/;

async function loginOf(readOnly: ReadOnly): Promise<LoginCheck> {
  try {
    return await readOnly(CATALOGUE_MS, 'left_out', async ({ rows }) => {
      const [found] = await rows<{ by: WritingRight | null; version: number }>(WRITES);
      if (found === undefined) return { state: 'unchecked' };
      if (found.by !== null) return { state: 'writes', by: found.by };
      const [parameters] =
        found.version < PARAMETERS_FROM ? [{ sets: false }] : await rows<{ sets: boolean }>(SETS_PARAMETERS);
      return parameters?.sets === false ? { state: 'reads' } : { state: 'writes', by: 'parameter' };
    });
  } catch (error) {
    if (NOT_KNOWN.test(stateOf(error) ?? '')) return { state: 'unchecked' };
    throw failureOf(error);
  }
}

const MAX_OID = 4_294_967_295;
const isId = (id: string): boolean => /^[1-9]\d{0,9}$/.test(id) && Number(id) <= MAX_OID;

const entryOf = ({ sizeBytes, ...row }: TableRow): TableEntry => ({
  ...row,
  sizeBytes: Number(sizeBytes),
  createdAt: null,
  modifiedAt: null,
});

async function readPermissions({ rows }: Asked, id: string): Promise<Permissions | null> {
  const [relation] = await rows<{ isForeign: boolean }>(IS_FOREIGN, [id]);
  if (relation === undefined) return null;
  const granted = await rows<GrantRow>(GRANTS, [id, MAX_GRANTS + 1]);
  return {
    grants: granted.slice(0, MAX_GRANTS).map(grantOf),
    complete: !relation.isForeign && granted.length <= MAX_GRANTS,
  };
}

const grantOf = ({ name, isPublic, canLogin, role, inherited, usesSchema, isFiltered }: GrantRow): Grant => ({
  principal: isPublic ? 'Every login of the database (PUBLIC)' : name,
  principalKind: isPublic ? 'organization' : canLogin ? 'user' : 'group',
  external: false,
  role,
  inherited,
  // Another role of a member may use the schema, and a policy may show a part or nothing.
  ...((!usesSchema || isFiltered) && { unconfirmed: true as const }),
});
