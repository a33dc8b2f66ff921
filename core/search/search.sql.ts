import type { Visibility } from '../authz/principal.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { searchTag } from '../kernel/search-words.ts';
import { withinDomainsUnpeeked } from '../visibility/within-domains.sql.ts';
import { afterPlace, domainOfType, newestPlacements, type Walk } from './newest-placements.sql.ts';
import {
  asWhole,
  beginningsOf,
  contentWords,
  holdsPhrase,
  isAmong,
  type Places,
  parseQuery,
  type SearchQuery,
  type SoughtWord,
  wordQuery,
} from './search-query.ts';

/** The sample: this many of the newest assets show how frequent a match is. */
const SAMPLE = 100;
/** If a match is so rare that more assets would have to be read, an index is used. */
const MAX_NEWEST = 5_000;
/** A part of a name that occurs in more assets is searched only among the newest. */
const MAX_RARE = 2_000;
/** Of the assets with all words of a phrase, this many of the newest are checked. */
const MAX_WITH_PHRASE = 5_000;
/** The trigram index cannot find a text without three letters or digits in a row. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** `newest`: the order of the list. `best`: matches in names come before those in texts. */
export type SearchOrder = 'newest' | 'best';

/** Searches the part of the list that a walk covers; at most `walk.most` ids. */
type Search = (walk: Walk) => Promise<string[]>;

/**
 * Ids of the assets that the reader may see, that match `q` and that the filter allows; at most `walk.most`. The
 * searches are tried in this order until one finds anything: all words of `q`; all words, with the last one as a
 * prefix; `q` as a part of the name, path or format; some of the words. docs/search.md describes where words are
 * searched and the order of results.
 */
export async function findAssets(
  tx: Tx,
  visibility: Visibility,
  q: string,
  walk: Walk,
  order: SearchOrder = 'newest',
): Promise<string[]> {
  const query = parseQuery(q);
  const searches: Search[] = [(each) => havingPart(tx, visibility, q, each)];
  if (query.words.length > 0) {
    const where = await whereWordsAre(tx, visibility, query.words, walk.filter);
    if (!where.isTypeSeen) return [];
    const havingAll =
      (sought: readonly SoughtWord[]): Search =>
      (each) =>
        havingWords({ tx, visibility, where, query: { ...query, words: sought } }, each, order);
    if (query.words.some(({ prefix }) => prefix)) searches.unshift(havingAll(query.words));
    searches.unshift(havingAll(asWhole(query.words)));
    const some = contentWords(query.words);
    if (query.words.length > 1 && query.phrases.length === 0 && some.length > 0) {
      searches.push((each) => havingSome({ tx, visibility, where }, some, each));
    }
  }
  const isNarrowed = walk.after !== null || Object.values(walk.filter).some((value) => value !== undefined);
  for (const search of searches) {
    const found = await search(walk);
    if (found.length > 0) return found;
    if (isNarrowed && (await search({ filter: {}, after: null, most: 1 })).length > 0) return [];
  }
  return [];
}

type NamedType = { informationTypeId: string; nameWords: string[] };

/** `isTypeSeen` is true if the filter has no type. */
type Where = { inTexts: boolean; types: readonly NamedType[]; isTypeSeen: boolean };

/**
 * Whether texts are searched, which information types of the reader's domains have one of the words in their names,
 * and whether the reader may see the type of the filter.
 */
async function whereWordsAre(
  tx: Tx,
  visibility: Visibility,
  sought: readonly SoughtWord[],
  { informationTypeId }: Walk['filter'],
): Promise<Where> {
  const [row] = await tx.query<Where>(sql`
    select data_handling_profile <> 'metadata_only' as "inTexts", array(
      select jsonb_build_object('informationTypeId', information_type_id, 'nameWords', name_words)
        from information_types
       where tenant_id = ${tx.tenantId} and ${withinDomainsUnpeeked(visibility, sql`domain_id`)}
         and (name_words && ${unpeeked(sought.flatMap(({ spellings }) => spellings))} or exists (
           select from unnest(name_words) as word, unnest(${unpeeked(beginningsOf(sought))}) as beginning
            where starts_with(word, beginning)))
       order by information_type_id) as types, ${
         informationTypeId === undefined
           ? sql`true`
           : withinDomainsUnpeeked(visibility, domainOfType(tx, informationTypeId))
       } is true as "isTypeSeen"
      from tenants where tenant_id = ${tx.tenantId}`);
  return row ?? { inTexts: false, types: [], isTypeSeen: false };
}

type Seeking = { tx: Tx; visibility: Visibility; where: Where };

/**
 * One way to match: a query of words, empty for none, and marks of which the asset must have at least one; null if it
 * needs none.
 */
type Way = { query: string; any: readonly string[] | null };

const NAMES: Places = { names: true, kinds: false, texts: false };
const anywhere = ({ inTexts }: Where): Places => ({ names: true, kinds: true, texts: inTexts });

/** Assets with all words. In the order `best`, those with all words in their names come first. */
async function havingWords(
  { query, ...seeking }: Seeking & { query: SearchQuery },
  walk: Walk,
  order: SearchOrder,
): Promise<string[]> {
  const search = (ways: readonly Way[]) => withPhrases(seeking, query, ways, walk);
  const all = allOf(seeking, query.words, anywhere(seeking.where));
  const byTypes = waysByTypes(seeking, query.words);
  if (order === 'newest') return search([all, ...byTypes]);
  const named = await search([allOf(seeking, query.words, NAMES)]);
  if (named.length === walk.most) return named;
  const others = await search([all, ...byTypes]);
  return [...new Set([...named, ...others])].slice(0, walk.most);
}

/** Assets that contain one of the words, or whose information type has one in its name. */
function havingSome(seeking: Seeking, sought: readonly SoughtWord[], walk: Walk): Promise<string[]> {
  const { tx, visibility, where } = seeking;
  const types = where.types.filter(({ nameWords }) => sought.some((word) => isAmong(word, nameWords)));
  const held = {
    query: sought.map((word) => wordQuery(tx.tenantId, word, anywhere(where))).join(' | '),
    any: domainMarks(tx, visibility),
  };
  return newestOfWays(
    seeking,
    types.length === 0 ? [held] : [held, { query: '', any: typeMarks(tx, types) }],
    walk,
  );
}

const typeMarks = (tx: Tx, types: readonly NamedType[]): string[] =>
  types.map(({ informationTypeId }) => searchTag(tx.tenantId) + informationTypeId);

const allOf = ({ tx, visibility }: Seeking, sought: readonly SoughtWord[], places: Places): Way => ({
  query: sought.map((word) => wordQuery(tx.tenantId, word, places)).join(' & '),
  any: domainMarks(tx, visibility),
});

/** Matches by information type: the name of the type has some of the words, and the asset has the others. */
function waysByTypes({ tx, where }: Seeking, sought: readonly SoughtWord[]): Way[] {
  const besides = ({ nameWords }: NamedType) => sought.filter((word) => !isAmong(word, nameWords));
  const named = where.types
    .map((type) => ({ type, words: besides(type) }))
    .filter(({ words }) => words.length < sought.length);
  return [...Map.groupBy(named, ({ words }) => words.map(({ folded }) => folded).join(' ')).values()].map(
    (alike) => ({
      query: (alike[0]?.words ?? []).map((word) => wordQuery(tx.tenantId, word, anywhere(where))).join(' & '),
      any: typeMarks(
        tx,
        alike.map(({ type }) => type),
      ),
    }),
  );
}

/**
 * Applies phrases to the newest matches. The name or the path must contain the words of a phrase consecutively, or
 * the text must contain them all. The index of texts keeps no order of words.
 */
async function withPhrases(
  seeking: Seeking,
  { words, phrases }: SearchQuery,
  ways: readonly Way[],
  walk: Walk,
): Promise<string[]> {
  if (phrases.length === 0) return newestOfWays(seeking, ways, walk);
  const { tx, where } = seeking;
  const held = await newestOfWays(seeking, ways, { ...walk, most: MAX_WITH_PHRASE });
  const inText = phrases.map((phrase) =>
    words
      .filter(({ folded }) => phrase.includes(folded))
      .map((word) => wordQuery(tx.tenantId, word, { names: false, kinds: false, texts: true }))
      .join(' & '),
  );
  const rows = await tx.query<{ assetId: string; name: string; path: string; inText: boolean[] }>(sql`
    select a.asset_id as "assetId", a.name, a.path,
           array(select ${where.inTexts} and s.words @@ query::tsquery
                   from unnest(${inText}::text[]) with ordinality as p (query, nth) order by nth) as "inText"
      from unnest(${held}::text[]) with ordinality as held (asset_id, nth)
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = held.asset_id
      join asset_search s on s.tenant_id = ${tx.tenantId} and s.asset_id = held.asset_id
     order by held.nth`);
  return rows
    .filter(({ name, path, inText }) =>
      phrases.every((phrase, nth) => inText[nth] || holdsPhrase(name, phrase) || holdsPhrase(path, phrase)),
    )
    .slice(0, walk.most)
    .map(({ assetId }) => assetId);
}

const newestOfWays = ({ tx, visibility }: Seeking, ways: readonly Way[], walk: Walk): Promise<string[]> =>
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
        const rows = await tx.query<{ assetId: string }>(sql`
          select assets_having(${sql.json(ways)}::jsonb, ${filterMarks(tx, filter)}::text[],
                               ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${most}) as "assetId"`);
        return rows.map(({ assetId }) => assetId);
      },
    },
    walk,
  );

/** Null for a reader of the whole tenant. */
const domainMarks = (tx: Tx, visibility: Visibility): string[] | null =>
  visibility.kind === 'tenant' ? null : visibility.domainIds.map((id) => searchTag(tx.tenantId) + id);

function filterMarks(tx: Tx, { informationTypeId, labelState, riskSeverity }: Walk['filter']): string[] {
  const tag = searchTag(tx.tenantId);
  return [
    ...(informationTypeId === undefined ? [] : [tag + informationTypeId]),
    ...(labelState === undefined ? [] : [`${tag}label:${labelState}`]),
    ...(riskSeverity === undefined ? [] : [`${tag}risk:${riskSeverity}`]),
  ];
}

/**
 * Assets with `q` in their name, path or format. If `q` has no three letters or digits in a row, only names that
 * begin with it match.
 */
function havingPart(tx: Tx, visibility: Visibility, q: string, walk: Walk): Promise<string[]> {
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
    and s.marks @> ${filterMarks(tx, filter)}::text[] and ${afterPlace(sql`s`, after)}`;
}

/** Ids of the matches, the most recently changed first, and whether the walk reached the end of the list. */
type Met = { found: string[]; isAll: boolean };

const NOTHING: Met = { found: [], isAll: false };

/**
 * The newest matches. A sample of the newest assets shows how frequent matches are. Frequent matches are found by a
 * walk through the newest assets, rare ones by an index.
 * @param matches condition on the list `n` of ids. It must be a scalar subquery and no join, so that the list is read
 * in its order.
 * @param byIndex returns null if the index cannot answer
 */
async function newestMatching(
  tx: Tx,
  visibility: Visibility,
  { matches, byIndex }: { matches: Statement; byIndex(walk: Walk): Promise<string[] | null> },
  walk: Walk,
): Promise<string[]> {
  const { most } = walk;
  const isEnough = ({ found, isAll }: Met) => isAll || found.length === most;
  const among = (newest: number) => amongNewest(tx, visibility, matches, walk, newest);
  const sample = await among(SAMPLE);
  if (isEnough(sample)) return sample.found;
  const needed = neededFor(sample, most);
  const met = needed <= MAX_NEWEST ? await among(needed) : NOTHING;
  if (isEnough(met)) return met.found;
  return (await byIndex(walk)) ?? (await among(MAX_NEWEST)).found;
}

/**
 * How far to walk, estimated from a sample: half as far again, rounded up to steps, so that few different statements
 * are prepared.
 */
const neededFor = ({ found }: Met, most: number): number =>
  250 * 2 ** Math.ceil(Math.log2(Math.max(1, (1.5 * most * SAMPLE) / found.length / 250)));

/** The matches among the `most` newest assets that the reader may see and the filter allows. */
async function amongNewest(
  tx: Tx,
  visibility: Visibility,
  matches: Statement,
  walk: Walk,
  most: number,
): Promise<Met> {
  const newest = newestPlacements(tx, visibility, { ...walk, most }, { withPlacements: false });
  const [met = NOTHING] = await tx.query<Met>(sql`
    with newest as materialized (${newest})
    select (select count(*) from newest) < ${sql.whole(most)} as "isAll",
           array(select n.asset_id from newest n where ${matches} limit ${sql.whole(walk.most)}) as found`);
  return met;
}
