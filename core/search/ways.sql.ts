import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { searchTag } from '../kernel/search-words.ts';
import { type Found, newestMatching } from './newest-matching.sql.ts';
import type { Walk } from './newest-placements.sql.ts';
import { isAmong, type Places, type SoughtWord, wordQuery } from './search-query.ts';

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
        // The index knows no content states.
        if (filter.contentState !== undefined) return null;
        const rows = await tx.query<{ assetId: string }>(sql`
          select assets_having(${sql.json(ways)}::jsonb, ${filterMarks(tx, filter)}::text[],
                               ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${most}) as "assetId"`);
        return rows.map(({ assetId }) => assetId);
      },
    },
    walk,
  );

/** Null for a reader of the whole tenant. */
export const domainMarks = (tx: Tx, visibility: Visibility): string[] | null =>
  visibility.kind === 'tenant' ? null : visibility.domainIds.map((id) => searchTag(tx.tenantId) + id);

const typeMarks = (tx: Tx, types: readonly NamedType[]): string[] =>
  types.map(({ informationTypeId }) => searchTag(tx.tenantId) + informationTypeId);

export function filterMarks(
  tx: Tx,
  { informationTypeId, labelState, riskSeverity }: Walk['filter'],
): string[] {
  const tag = searchTag(tx.tenantId);
  return [
    ...(informationTypeId === undefined ? [] : [tag + informationTypeId]),
    ...(labelState === undefined ? [] : [`${tag}label:${labelState}`]),
    ...(riskSeverity === undefined ? [] : [`${tag}risk:${riskSeverity}`]),
  ];
}
