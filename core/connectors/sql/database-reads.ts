import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { digest } from '../../kernel/digest.ts';
import { TABLE_SAMPLE_TYPE } from '../../kernel/table-sample.ts';
import { type Permissions, ScopeRefused, type SourceItem } from '../connector.ts';
import type { ContainerReads } from '../container-connector.ts';
import { nextPageToken, placeOf } from '../page-token.ts';
import type { SqlSession, TableEntry } from './engine.ts';
import { contentOf } from './sample-content.ts';
import type { SelectedSchemas } from './selection.ts';
import type { WithSession } from './sessions.ts';

const PAGE_SIZE = 200;
/** Rows that are read of a table. */
const MAX_ROWS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A table is sampled again when so much time has passed, even if nothing says that its rows have changed. */
const MAX_AGE_MS = 7 * DAY_MS;
/** The same where the database counts no changes. */
const UNCOUNTED_MAX_AGE_MS = DAY_MS;

const NOBODY: Permissions = { grants: [], complete: false };

/** Reads of one database. `scopeId` names it in page tokens. */
export function createDatabaseReads(
  withSession: WithSession,
  {
    name,
    scopeId,
    schemas,
    clock,
  }: { name: string; scopeId: string; schemas: SelectedSchemas; clock: Clock },
): ContainerReads {
  /** Null if there is no such table, or it is in a schema that is not selected. */
  const selectedTable = async (session: SqlSession, id: string): Promise<TableEntry | null> => {
    const entry = await session.table(id);
    return entry !== null && (schemas === null || schemas.includes(entry.schema)) ? entry : null;
  };

  return {
    name,

    page: (pageToken, signal) =>
      withSession(signal, async (session) => {
        const place = placeOf(scopeId, pageToken);
        if (place === null && schemas !== null && (await session.schemas(schemas)).length < schemas.length)
          throw new ScopeRefused('not_found', 'sql_schema_not_found');
        const entries = await session.tables({ schemas, after: place?.marker ?? null, limit: PAGE_SIZE });
        const last = entries.length < PAGE_SIZE ? null : (entries.at(-1)?.id ?? null);
        return {
          items: entries.map((entry) => itemOf(entry, clock())),
          nextPageToken: nextPageToken(scopeId, place, last, 'sql_place_repeated'),
          deltaCursor: null,
        };
      }),

    item: (id, signal) =>
      withSession(signal, async (session) => {
        const entry = await selectedTable(session, id);
        return entry === null ? null : itemOf(entry, clock());
      }),

    permissions: (id, signal) =>
      withSession(signal, async (session) =>
        (await selectedTable(session, id)) === null ? NOBODY : ((await session.permissions(id)) ?? NOBODY),
      ),

    label: (id, signal) =>
      withSession(signal, async (session) =>
        (await selectedTable(session, id)) === null ? { state: 'unknown' } : session.label(id),
      ),

    labels: (signal) => withSession(signal, (session) => session.labels()),

    content: (id, maxBytes, signal) =>
      withSession(signal, async (session) => {
        const entry = await selectedTable(session, id);
        if (entry === null) return { state: 'inaccessible' };
        const read = await session.sample(id, { maxRows: MAX_ROWS, maxBytes, seed: ageOf(entry, clock()) });
        return read.state === 'read' ? contentOf(read.sample, maxBytes) : { state: 'inaccessible' };
      }),
  };
}

/** Counts up when a table is due to be sampled again. Tables are due at different times, which a rename leaves alone. */
function ageOf({ structure, activity }: TableEntry, now: number): number {
  const maxAgeMs = activity === null ? UNCOUNTED_MAX_AGE_MS : MAX_AGE_MS;
  const offset = createHash('sha256').update(structure).digest().readUInt32BE() % maxAgeMs;
  return Math.floor((now + offset) / maxAgeMs);
}

function itemOf(entry: TableEntry, now: number): SourceItem {
  const { id, schema, name, kind, structure, access, activity } = entry;
  const age = ageOf(entry, now);
  return {
    externalId: id,
    name,
    path: schema === '' ? name : `${schema}/${name}`,
    kind: 'table',
    sizeBytes: entry.sizeBytes,
    mimeType: TABLE_SAMPLE_TYPE,
    sourceUrl: null,
    sourceVersion: digest(schema, name, kind, structure, access, activity, age),
    contentVersion: digest(structure, activity, age),
    createdAt: entry.createdAt,
    modifiedAt: entry.modifiedAt,
    modifiedBy: null,
  };
}
