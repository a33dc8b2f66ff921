import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { withinDomainsUnpeeked } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { asksBeyondMarks, commonConditions, inContentState, ownConditions } from './asset-filter.sql.ts';
import { havingWords, type SearchOrder } from './having-words.sql.ts';
import { nameHasOneOf } from './name-words.sql.ts';
import { type Found, newestMatching } from './newest-matching.sql.ts';
import { afterPlace, domainOfType, type Walk } from './newest-placements.sql.ts';
import { asWhole, contentWords, parseQuery, type SoughtWord } from './search-query.ts';
import { domainMarks, filterMarks, MAX_RARE, newestOfWays, type Where, waysWithSome } from './ways.sql.ts';

/** The trigram index cannot find a text without three letters or digits in a row. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** All words of `q`; all words, with the last one as a prefix; `q` as a part of the name, path or format; some words. */
export type SearchName = 'all' | 'unfinished' | 'part' | 'some';

/** Searches the part of the list that a walk covers; at most `walk.most` ids. */
type Search = { name: SearchName; run(walk: Walk): Promise<Found> };

/** `search`: the search that counts; null if none finds anything. */
export type FoundBy = Found & { search: SearchName | null };

/**
 * Ids of the assets that the reader may see, that match `q` and that the filter allows; at most `walk.most`. The
 * searches are tried in order, and the first that finds anything without the filter counts. docs/search.md describes
 * where words are searched and the order of results.
 * @param search the only search to try, for the pages after the first
 */
export async function findAssets(
  tx: Tx,
  visibility: Visibility,
  q: string,
  walk: Walk,
  { order = 'newest', search = null }: { order?: SearchOrder; search?: SearchName | null } = {},
): Promise<FoundBy> {
  const searches = await searchesOf(tx, visibility, q, walk.filter, order);
  const isNarrowed = walk.after !== null || Object.values(walk.filter).some((value) => value !== undefined);
  let isWhole = true;
  for (const { name, run } of searches) {
    if (search !== null && name !== search) continue;
    const found = await run(walk);
    isWhole &&= found.isWhole;
    const counts =
      search !== null ||
      found.assetIds.length > 0 ||
      (isNarrowed && (await run({ filter: {}, after: null, most: 1 })).assetIds.length > 0);
    if (counts) return { assetIds: found.assetIds, isWhole, search: name };
  }
  return { assetIds: [], isWhole, search: null };
}

/** The searches in their order. None, if the reader may not see the type of the filter. */
async function searchesOf(
  tx: Tx,
  visibility: Visibility,
  q: string,
  filter: Walk['filter'],
  order: SearchOrder,
): Promise<Search[]> {
  const { words, phrases } = parseQuery(q);
  const part: Search = { name: 'part', run: (walk) => havingPart(tx, visibility, q, walk) };
  if (words.length + phrases.length === 0) return [part];
  const { isTypeSeen, ...where } = await whereWordsAre(tx, visibility, words, filter);
  if (!isTypeSeen) return [];
  const seeking = { tx, visibility, where };
  const havingAll = (name: SearchName, sought: readonly SoughtWord[]): Search => ({
    name,
    run: (walk) => havingWords(seeking, { words: sought, phrases }, walk, order),
  });
  const someWords = contentWords(words);
  const some: Search = {
    name: 'some',
    run: (walk) => newestOfWays(seeking, waysWithSome(seeking, someWords), walk),
  };
  return [
    havingAll('all', asWhole(words)),
    ...(words.some(({ beginnings }) => beginnings.length > 0) ? [havingAll('unfinished', words)] : []),
    part,
    ...(words.length > 1 && phrases.length === 0 && someWords.length > 0 ? [some] : []),
  ];
}

/**
 * Where the words are searched. `isTypeSeen`: whether the reader may see the type of the filter; true if the filter has
 * none.
 */
async function whereWordsAre(
  tx: Tx,
  visibility: Visibility,
  sought: readonly SoughtWord[],
  { informationTypeId }: Walk['filter'],
): Promise<Where & { isTypeSeen: boolean }> {
  const [row] = await tx.query<Where & { isTypeSeen: boolean }>(sql`
    select data_handling_profile <> 'metadata_only' as "inTexts", array(
      select jsonb_build_object('informationTypeId', information_type_id, 'nameWords', name_words)
        from information_types
       where tenant_id = ${tx.tenantId} and ${withinDomainsUnpeeked(visibility, sql`domain_id`)}
         and ${nameHasOneOf(sql`name_words`, sought)}
       order by information_type_id) as types, ${
         informationTypeId === undefined
           ? sql`true`
           : withinDomainsUnpeeked(visibility, domainOfType(tx, informationTypeId))
       } is true as "isTypeSeen"
      from tenants where tenant_id = ${tx.tenantId}`);
  return row ?? { inTexts: false, types: [], isTypeSeen: false };
}

/**
 * Assets with `q` in their name, path or format. If `q` has no three letters or digits in a row, only names that
 * begin with it match.
 */
function havingPart(tx: Tx, visibility: Visibility, q: string, walk: Walk): Promise<Found> {
  const isAnywhere = THREE_IN_A_ROW.test(q);
  const hasPart = isAnywhere
    ? sql`strpos(lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')), lower(${q})) > 0`
    : sql`starts_with(lower(a.name), lower(${q}))`;
  return newestMatching(
    tx,
    visibility,
    {
      matches: sql`(select ${hasPart} from assets a where a.tenant_id = ${tx.tenantId} and a.asset_id = n.asset_id)`,
      byIndex: async ({ most, ...asked }) => {
        const [rare] = await tx.query<{ isRare: boolean; assetIds: string[] }>(sql`
          with part as materialized (
            select assets_matching(lower(${q}), ${isAnywhere}, ${MAX_RARE + 1}) as asset_id
          ), allowed as materialized (
            -- The array makes the planner use the index on ids.
            select s.asset_id, s.changed_at from asset_search s
             where s.tenant_id = ${tx.tenantId} and s.asset_id = any(array(select asset_id from part))
               and ${allowedBy(tx, visibility, asked)}
          )
          select (select count(*) from part) <= ${MAX_RARE} as "isRare",
                 array(select asset_id from allowed order by changed_at desc, asset_id desc limit ${most}) as "assetIds"`);
        return rare?.isRare === true ? rare.assetIds : null;
      },
    },
    walk,
  );
}

/** Condition on `asset_search s`: the reader may see it, the filter allows it, and it comes after the place. */
function allowedBy(tx: Tx, visibility: Visibility, { filter, after }: Omit<Walk, 'most'>): Statement {
  const seen = domainMarks(tx, visibility);
  return sql`s.active
    and ${seen === null ? sql`true` : sql`s.marks && ${seen}::text[]`}
    and s.marks @> ${filterMarks(tx, filter)}::text[] and ${afterPlace(sql`s`, after)}
    and ${
      asksBeyondMarks(filter)
        ? sql`exists (
            select from ${assetById(tx, sql`s.asset_id`)}
             where ${commonConditions(sql`a`, filter)} and ${ownConditions(filter) ?? sql`true`} and ${inContentState(filter)}
               and ${filter.ids === undefined ? sql`true` : sql`a.asset_id = any(${filter.ids}::text[])`})`
        : sql`true`
    }`;
}
