import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { searchTag } from '../kernel/search-words.ts';
import { asksBeyondMarks, type WalkFilter } from './asset-filter.sql.ts';
import { type Found, newestMatching } from './newest-matching.sql.ts';
import { newestPlacements, type Walk } from './newest-placements.sql.ts';
import { isAmong, type Places, type SoughtWord, wordQuery } from './search-query.ts';

/** If more assets match than this, a filter that the index does not know is applied to the newest of the list. */
export const MAX_RARE = 2_000;

type NamedType = { informationTypeId: string; nameWords: string[] };

/** Whether texts are searched, and which information types of the reader's domains have one of the words in their names. */
export type Where = { inTexts: boolean; types: readonly NamedType[] };

export type Seeking = { tx: Tx; visibility: Visibility; where: Where };

/**
 * One way to match: a query of words, empty for none, and marks of which the asset must have at least one; null if it
 * needs none.
 */
export type Way = { query: string; any: readonly string[] | null };

export const NAMES: Places = { names: true, kinds: false, texts: false };
const anywhere = ({ inTexts }: Where): Places => ({ names: true, kinds: true, texts: inTexts });

/** Matches with all words in the places. `besides`: further queries that must match. */
export const allOf = (
  { tx, visibility }: Seeking,
  sought: readonly SoughtWord[],
  places: Places,
  besides: readonly string[] = [],
): Way => ({ query: allQuery(tx, sought, places, besides), any: domainMarks(tx, visibility) });

/** Matches with all words, of which the asset or the name of its information type must have each. */
export const waysWithAll = (
  seeking: Seeking,
  sought: readonly SoughtWord[],
  besides: readonly string[] = [],
): Way[] => [
  allOf(seeking, sought, anywhere(seeking.where), besides),
  ...waysByTypes(seeking, sought, besides),
];

/** Assets that contain one of the words, or whose information type has one in its name. */
export function waysWithSome({ tx, visibility, where }: Seeking, sought: readonly SoughtWord[]): Way[] {
  const types = where.types.filter(({ nameWords }) => sought.some((word) => isAmong(word, nameWords)));
  const held = {
    query: sought.map((word) => wordQuery(tx.tenantId, word, anywhere(where))).join(' | '),
    any: domainMarks(tx, visibility),
  };
  return types.length === 0 ? [held] : [held, { query: '', any: typeMarks(tx, types) }];
}

/** Matches by information type: the name of the type has some of the words, and the asset has the others. */
function waysByTypes(
  { tx, where }: Seeking,
  sought: readonly SoughtWord[],
  besides: readonly string[],
): Way[] {
  const named = where.types
    .map((type) => ({ type, others: sought.filter((word) => !isAmong(word, type.nameWords)) }))
    .filter(({ others }) => others.length < sought.length);
  const byQuery = Map.groupBy(named, ({ others }) => allQuery(tx, others, anywhere(where), besides));
  return Array.from(byQuery, ([query, alike]) => ({
    query,
    any: typeMarks(
      tx,
      alike.map(({ type }) => type),
    ),
  }));
}

const allQuery = (
  tx: Tx,
  sought: readonly SoughtWord[],
  places: Places,
  besides: readonly string[],
): string => [...sought.map((word) => wordQuery(tx.tenantId, word, places)), ...besides].join(' & ');

/** The newest assets that match in any of the ways. */
export const newestOfWays = ({ tx, visibility }: Seeking, ways: readonly Way[], walk: Walk): Promise<Found> =>
  newestMatching(
    tx,
    visibility,
    {
      matches: sql`(
        select exists (
          select from jsonb_to_recordset(${sql.json(ways)}::jsonb) as way (query text, "any" text[])
           where (way.query = '' or s.words @@ way.query::tsquery) and (way."any" is null or s.marks && way."any"))
          from asset_search s where s.tenant_id = ${tx.tenantId} and s.asset_id = n.asset_id)`,
      byIndex: async ({ filter, after, most }) => {
        const isNarrower = asksBeyondMarks(filter);
        const rows = await tx.query<{ assetId: string }>(sql`
          select assets_having(${sql.json(ways)}::jsonb, ${filterMarks(tx, filter)}::text[],
                               ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null},
                               ${isNarrower ? MAX_RARE + 1 : most}) as "assetId"`);
        const held = rows.map(({ assetId }) => assetId);
        if (!isNarrower) return held;
        return held.length > MAX_RARE ? null : allowed(tx, visibility, held, { filter, most });
      },
    },
    walk,
  );

/** Of these assets, those that the filter allows, the most recently changed first. */
async function allowed(
  tx: Tx,
  visibility: Visibility,
  held: string[],
  { filter, most }: Pick<Walk, 'filter' | 'most'>,
): Promise<string[]> {
  const ids = filter.ids === undefined ? held : held.filter((id) => filter.ids?.includes(id));
  const walk = { filter: { ...filter, ids }, after: null, most };
  const rows = await tx.query<{ assetId: string }>(
    sql.unprepared(sql`
      select asset_id as "assetId" from (${newestPlacements(tx, visibility, walk, { withPlacements: false })}) allowed`),
  );
  return rows.map(({ assetId }) => assetId);
}

/** Null for a reader of the whole tenant. */
export const domainMarks = (tx: Tx, visibility: Visibility): string[] | null =>
  visibility.kind === 'tenant' ? null : visibility.domainIds.map((id) => searchTag(tx.tenantId) + id);

const typeMarks = (tx: Tx, types: readonly NamedType[]): string[] =>
  types.map(({ informationTypeId }) => searchTag(tx.tenantId) + informationTypeId);

export function filterMarks(tx: Tx, { informationTypeId, labelState, riskSeverity }: WalkFilter): string[] {
  const tag = searchTag(tx.tenantId);
  return [
    ...(informationTypeId === undefined ? [] : [tag + informationTypeId]),
    ...(labelState === undefined ? [] : [`${tag}label:${labelState}`]),
    ...(riskSeverity === undefined || riskSeverity === null ? [] : [`${tag}risk:${riskSeverity}`]),
  ];
}
