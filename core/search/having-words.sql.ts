import { type Statement, sql } from '../db/sql.ts';
import { words } from '../kernel/words.ts';
import type { Found } from './newest-matching.sql.ts';
import type { Walk } from './newest-placements.sql.ts';
import { holdsPhrase, type Places, type SearchQuery, wordQuery } from './search-query.ts';
import { allOf, NAMES, newestOfWays, type Seeking, type Way, waysWithAll } from './ways.sql.ts';

/** `newest`: the order of the list. `best`: matches in names come before those in texts. */
export type SearchOrder = 'newest' | 'best';

/** Of the assets with all words of the phrases, this many of the newest are checked first. */
const FIRST_WITH_PHRASES = 500;
/** This many are checked if too few of the first ones match. */
const MAX_WITH_PHRASES = 5_000;
const TEXTS: Places = { names: false, kinds: false, texts: true };
const NOTHING: Found = { assetIds: [], isWhole: true };

/**
 * Assets with all words and phrases. In the order `best`, those with all of them in their names come first. The name or
 * the path must contain the words of a phrase consecutively, or the text must contain them all: the index of texts keeps
 * no order of words.
 */
export async function havingWords(
  seeking: Seeking,
  query: SearchQuery,
  walk: Walk,
  order: SearchOrder,
): Promise<Found> {
  const { words, phrases } = query;
  const inNames = phrases.flat().map((word) => wordQuery(seeking.tx.tenantId, word, NAMES));
  const named = () => withPhrases(seeking, query, [allOf(seeking, words, NAMES, inNames)], walk);
  const withPhrasesInNames = () => withPhrases(seeking, query, waysWithAll(seeking, words, inNames), walk);
  const withPhrasesInTexts = () => havingPhrasesInTexts(seeking, query, walk);
  const all = async () => newestOf(seeking, [await withPhrasesInNames(), await withPhrasesInTexts()], walk);
  if (order === 'newest') return all();
  const best = await named();
  if (best.assetIds.length === walk.most) return best;
  const others = await (words.length === 0 ? withPhrasesInTexts() : all());
  return {
    assetIds: [...new Set([...best.assetIds, ...others.assetIds])].slice(0, walk.most),
    isWhole: best.isWhole && others.isWhole,
  };
}

/** For each phrase, a query that matches texts with all of its words. */
const textQueries = ({ tx }: Seeking, { phrases }: SearchQuery): string[] =>
  phrases.map((phrase) => phrase.map((word) => wordQuery(tx.tenantId, word, TEXTS)).join(' & '));

/** Assets with at least one phrase in their texts, and each of the others in their texts or names. */
async function havingPhrasesInTexts(seeking: Seeking, query: SearchQuery, walk: Walk): Promise<Found> {
  const { tx, where } = seeking;
  const [first, ...others] = textQueries(seeking, query);
  if (first === undefined || !where.inTexts) return NOTHING;
  if (others.length === 0) return newestOfWays(seeking, waysWithAll(seeking, query.words, [first]), walk);
  const inTexts = [first, ...others];
  const anywhere = query.phrases.map((phrase, nth) => {
    const inName = phrase.map((word) => wordQuery(tx.tenantId, word, NAMES)).join(' & ');
    return `((${inName}) | (${inTexts[nth]}))`;
  });
  const ways = waysWithAll(seeking, query.words, [
    ...anywhere,
    `(${inTexts.map((each) => `(${each})`).join(' | ')})`,
  ]);
  return withPhrases(seeking, query, ways, walk, inTexts);
}

/**
 * The newest matches that contain each phrase in the name or the path.
 * @param inTexts for each phrase, a query that matches texts instead; none if only names count
 */
async function withPhrases(
  seeking: Seeking,
  { phrases }: SearchQuery,
  ways: readonly Way[],
  walk: Walk,
  inTexts: readonly string[] = [],
): Promise<Found> {
  if (phrases.length === 0) return newestOfWays(seeking, ways, walk);
  const amongNewest = async (most: number): Promise<Found> => {
    const held = await newestOfWays(seeking, ways, { ...walk, most });
    const rows = await namesOf(seeking, held.assetIds, inTexts);
    const assetIds = rows
      .map((row) => ({ ...row, names: [words(row.name), words(row.path)] }))
      .filter(({ names, isInText }) =>
        phrases.every((phrase, nth) => isInText[nth] || names.some((name) => holdsPhrase(name, phrase))),
      )
      .slice(0, walk.most)
      .map(({ assetId }) => assetId);
    return { assetIds, isWhole: assetIds.length === walk.most || held.assetIds.length < most };
  };
  const first = await amongNewest(FIRST_WITH_PHRASES);
  return first.isWhole ? first : amongNewest(MAX_WITH_PHRASES);
}

/** Names of assets in the given order, and which of the queries their texts match. */
const namesOf = (
  { tx }: Seeking,
  assetIds: readonly string[],
  inTexts: readonly string[],
): Promise<{ assetId: string; name: string; path: string; isInText: boolean[] }[]> => {
  const matched: Statement =
    inTexts.length === 0
      ? sql`'{}'::boolean[]`
      : sql`(
          select array(select s.words @@ query::tsquery from unnest(${inTexts}::text[]) with ordinality as p (query, nth)
                        order by nth)
            from asset_search s where s.tenant_id = ${tx.tenantId} and s.asset_id = held.asset_id)`;
  return tx.query(sql`
    select a.asset_id as "assetId", a.name, a.path, ${matched} as "isInText"
      from unnest(${assetIds}::text[]) with ordinality as held (asset_id, nth)
      join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = held.asset_id
     order by held.nth`);
};

/** The newest of both. */
async function newestOf({ tx }: Seeking, [one, other]: [Found, Found], { most }: Walk): Promise<Found> {
  if (other.assetIds.length === 0) return { ...one, isWhole: one.isWhole && other.isWhole };
  const rows = await tx.query<{ assetId: string }>(sql`
    select asset_id as "assetId" from asset_search
     where tenant_id = ${tx.tenantId} and asset_id = any(${[...one.assetIds, ...other.assetIds]}::text[])
     order by changed_at desc, asset_id desc limit ${most}`);
  return { assetIds: rows.map(({ assetId }) => assetId), isWhole: one.isWhole && other.isWhole };
}
