import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import { searchTag } from '../kernel/search-words.ts';
import { afterPlace, newestPlacements, type Walk } from './newest-placements.sql.ts';
import {
  asWhole,
  beginningsOf,
  isAmong,
  type SoughtWord,
  soughtWords,
  spellings,
  toTsquery,
} from './search-query.ts';

/** How frequent something is, these tell of the newest. */
const SAMPLE = 100;
/** A walk goes no further for words. */
const WALK_MAX = 8_000;
/** A part of a name that is in more assets than this is sought among those that changed last. */
const RARE_MAX = 2_000;
const NEWEST_MAX = 5_000;
/** Of a text without these the index of parts knows nothing. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** Of how many domains the names are told apart in a query. */
const MOST_DOMAINS = 16;

/** Statements with more alternatives are rare, and of too many kinds for a connection to keep each. */
const MOST_PREPARED = 4;

/** Words that must be there; all in the asset itself, or what is left beside the name of one of these information types. */
type Wanted = { words: readonly SoughtWord[]; types: readonly string[] | null };

/**
 * Ids of the assets that the reader may see, whose words hold all of `q`, and which the filter allows: the most recently
 * changed, at least `limit` of them where there are so many. Words of name, path, format, text, of the kinds of what was
 * found in it, and of the information type that the reader sees. Where no asset that he sees has them, the last one may be
 * unfinished; where that does not help, `q` is sought as a part of name, path or format, or without three letters or
 * digits in a row as the beginning of the name.
 */
export async function findAssets(tx: Tx, visibility: Visibility, q: string, walk: Walk): Promise<string[]> {
  const sought = soughtWords(q);
  if (sought.length > 0) {
    const { inTexts, types, reach } = await whereWordsAre(tx, visibility, sought);
    const ways = [asWhole(sought), ...(sought.some(({ prefix }) => prefix) ? [sought] : [])].map((words) => ({
      wanted: wantedOf(words, types),
      inTexts,
      reach,
    }));
    const samples = await amongNewest(
      tx,
      visibility,
      ways.map((words) => ofSearch(tx, matching(tx, words))),
      walk,
      SAMPLE,
    );
    const isNarrowed = walk.after !== null || filterMarks('', walk.filter).length > 0;
    for (const [at, words] of ways.entries()) {
      const found = await havingWords(tx, visibility, words, walk, samples[at]);
      if (found.length > 0) return found;
      // What a filter or a place leaves out was found all the same.
      if (isNarrowed && (await isFoundAnywhere(tx, visibility, words))) return [];
    }
  }
  return withPart(tx, visibility, q, walk);
}

async function isFoundAnywhere(tx: Tx, visibility: Visibility, words: Words): Promise<boolean> {
  const anywhere: Walk = { filter: {}, most: 1, after: null };
  const [sample] = await amongNewest(tx, visibility, [ofSearch(tx, matching(tx, words))], anywhere, SAMPLE);
  return (await havingWords(tx, visibility, words, anywhere, sample)).length > 0;
}

/** `reach`: among about how many assets they are sought; null for all. */
type Words = { wanted: readonly Wanted[]; inTexts: boolean; reach: number | null };

/** What is frequent is met among the newest; what is less so is sought by the index of words, and put in order. */
async function havingWords(
  tx: Tx,
  visibility: Visibility,
  words: Words,
  walk: Walk,
  sample: Met = NOTHING,
): Promise<string[]> {
  if (isEnough(sample, walk)) return sample.found;
  const needed = neededFor(sample, walk);
  // A walk looks at one after the other, and so does who puts in order what the index has found.
  const foundByIndex = ((words.reach ?? Number.POSITIVE_INFINITY) * sample.found.length) / SAMPLE;
  if (needed <= Math.min(WALK_MAX, foundByIndex)) {
    const [met = NOTHING] = await amongNewest(
      tx,
      visibility,
      [ofSearch(tx, matching(tx, words))],
      walk,
      needed,
    );
    if (isEnough(met, walk)) return met.found;
  }
  return byIndex(tx, visibility, words, walk);
}

async function byIndex(
  tx: Tx,
  visibility: Visibility,
  { wanted, inTexts }: Words,
  { filter, after, most }: Walk,
): Promise<string[]> {
  const tag = searchTag(tx.tenantId);
  const domainIds =
    visibility.kind === 'domains' && visibility.domainIds.length <= MOST_DOMAINS
      ? visibility.domainIds
      : null;
  const having = ({ words, types }: Wanted) =>
    tx.query<{ assetId: string }>(sql`
      select assets_having(
        ${toTsquery(tx.tenantId, words, { inTexts, domainIds })}::tsquery,
        ${types === null ? domainMarks(tag, visibility) : marksOf(tx, types)}::text[], ${filterMarks(tag, filter)}::text[],
        ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${most}) as "assetId"`);
  const found = await Promise.all(wanted.map(having));
  return [...new Set(found.flat().map(({ assetId }) => assetId))];
}

/** Of `asset_search s`. */
function matching(tx: Tx, { wanted, inTexts }: Words): Statement {
  const each = wanted.map(({ words, types }) => {
    const query = toTsquery(tx.tenantId, words, { inTexts, domainIds: null });
    return sql`(${query === '' ? sql`true` : sql`s.words @@ ${query}::tsquery`}
                and ${types === null ? sql`true` : sql`s.marks && ${marksOf(tx, types)}::text[]`})`;
  });
  return wanted.length > MOST_PREPARED
    ? sql.join(each, ' or ')
    : each.reduce((one, other) => sql`${one} or ${other}`);
}

/** Of the list `n` of ids. */
const ofSearch = (tx: Tx, matches: Statement): Statement =>
  sql`(select ${matches} from asset_search s where s.tenant_id = ${tx.tenantId} and s.asset_id = n.asset_id)`;

/** All words in the asset itself; or some of them in the name of its type, and the others in it. */
function wantedOf(sought: readonly SoughtWord[], types: readonly NamedType[]): Wanted[] {
  const named = types.filter(({ nameWords }) => sought.some((word) => isAmong(word, nameWords)));
  const byRest = Map.groupBy(named, ({ nameWords }) =>
    sought.map((word) => (isAmong(word, nameWords) ? '1' : '0')).join(''),
  );
  const inTypes = [...byRest.values()].map((alike) => ({
    words: sought.filter((word) => !isAmong(word, alike[0]?.nameWords ?? [])),
    types: alike.map(({ informationTypeId }) => informationTypeId),
  }));
  return [{ words: sought, types: null }, ...inTypes];
}

const marksOf = (tx: Tx, ids: readonly string[]): string[] => ids.map((id) => searchTag(tx.tenantId) + id);

/** Null for a reader of all. */
const domainMarks = (tag: string, visibility: Visibility): string[] | null =>
  visibility.kind === 'tenant' ? null : visibility.domainIds.map((id) => tag + id);

const filterMarks = (
  tag: string,
  { informationTypeId, labelState, riskSeverity }: Walk['filter'],
): string[] => [
  ...(informationTypeId === undefined ? [] : [tag + informationTypeId]),
  ...(labelState === undefined ? [] : [`${tag}label:${labelState}`]),
  ...(riskSeverity === undefined ? [] : [`${tag}risk:${riskSeverity}`]),
];

type NamedType = { informationTypeId: string; nameWords: string[] };

/**
 * Whether texts are searched, the information types of the reader's domains whose names hold one of the words, and about
 * how many assets are in those domains.
 */
async function whereWordsAre(
  tx: Tx,
  visibility: Visibility,
  sought: readonly SoughtWord[],
): Promise<{ inTexts: boolean; types: readonly NamedType[]; reach: number | null }> {
  const [row] = await tx.query<{ inTexts: boolean; types: NamedType[]; reach: number | null }>(sql`
    select data_handling_profile <> 'metadata_only' as "inTexts", array(
      select jsonb_build_object('informationTypeId', information_type_id, 'nameWords', name_words)
        from information_types
       where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
         and (name_words && ${sought.flatMap(({ folded }) => spellings(folded))}::text[] or exists (
           select from unnest(name_words) as word, unnest(${beginningsOf(sought)}::text[]) as beginning
            where starts_with(word, beginning)))
       order by information_type_id) as types, ${
         visibility.kind === 'tenant'
           ? sql`null`
           : sql`(select coalesce(sum(assets), 0) from domain_days
                   where tenant_id = ${tx.tenantId} and domain_id = any(${visibility.domainIds}::text[]))`
       }::integer as reach
      from tenants where tenant_id = ${tx.tenantId}`);
  return row ?? { inTexts: false, types: [], reach: null };
}

/**
 * Assets with `q` as it stands in name, path or format. What is frequent is met among the newest; else it is sought by an
 * index, which knows all that have a rare one.
 */
async function withPart(tx: Tx, visibility: Visibility, q: string, walk: Walk): Promise<string[]> {
  const { most } = walk;
  const hasPart = isAnywhere(q)
    ? sql`strpos(lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')), lower(${q})) > 0`
    : sql`starts_with(lower(a.name), lower(${q}))`;
  const matches = sql`(select ${hasPart} from assets a where a.tenant_id = ${tx.tenantId} and a.asset_id = n.asset_id)`;
  const among = async (newest: number) =>
    (await amongNewest(tx, visibility, [matches], walk, newest))[0] ?? NOTHING;
  const sample = await among(SAMPLE);
  if (isEnough(sample, walk)) return sample.found;
  const needed = neededFor(sample, walk);
  const met =
    sample.found.length * NEWEST_MAX >= most * SAMPLE ? await among(Math.min(needed, NEWEST_MAX)) : NOTHING;
  if (isEnough(met, walk)) return met.found;
  const [rare] = await tx.query<{ isRare: boolean; assetIds: string[] }>(sql`
    with part as materialized (
      select assets_matching(lower(${q}), ${isAnywhere(q)}, ${RARE_MAX + 1}) as asset_id
    ), allowed as materialized (
      -- An array, so that nothing but the index over ids is walked.
      select s.asset_id, s.changed_at from asset_search s
       where s.tenant_id = ${tx.tenantId} and s.asset_id = any(array(select asset_id from part))
         and ${allowedBy(searchTag(tx.tenantId), visibility, walk)}
    )
    select (select count(*) from part) <= ${RARE_MAX} as "isRare",
           array(select asset_id from allowed order by changed_at desc, asset_id desc limit ${most}) as "assetIds"`);
  if (rare?.isRare === true) return rare.assetIds;
  return (await among(NEWEST_MAX)).found;
}

/** Ids that match, the most recently changed first, and whether the walk came to the end of the list. */
type Met = { found: string[]; isAll: boolean };

const NOTHING: Met = { found: [], isAll: false };

const isEnough = ({ found, isAll }: Met, { most }: Walk): boolean => isAll || found.length === most;

/** How far to walk by what a sample tells: half as far again, and rounded up, so that few statements are prepared. */
const neededFor = ({ found }: Met, { most }: Walk): number =>
  250 * 2 ** Math.ceil(Math.log2(Math.max(1, (1.5 * most * SAMPLE) / found.length / 250)));

/**
 * What matches, in each of some ways, among so many that the reader may see, the filter allows and that changed last; none
 * is looked at beyond what is asked for.
 * @param ways of the list `n` of ids; single values and no joins, so that the newest are gone through in their order
 */
async function amongNewest(
  tx: Tx,
  visibility: Visibility,
  ways: readonly Statement[],
  walk: Walk,
  most: number,
): Promise<Met[]> {
  const newest = newestPlacements(tx, visibility, { ...walk, most }, { withPlacements: false });
  const met = ways
    .map(
      (matches, way) => sql`
      select ${sql.whole(way)} as way, (select count(*) from newest) < ${sql.whole(most)} as "isAll",
             array(select n.asset_id from newest n where ${matches} limit ${sql.whole(walk.most)}) as found`,
    )
    .reduce((one, other) => sql`${one} union all ${other}`);
  return tx.query<Met>(sql`with newest as materialized (${newest}) ${met} order by way`);
}

const isAnywhere = (q: string): boolean => THREE_IN_A_ROW.test(q);

/** Of `asset_search s`: what the reader may see, the filter allows, and comes after the place. */
function allowedBy(tag: string, visibility: Visibility, { filter, after }: Walk): Statement {
  const seen = domainMarks(tag, visibility);
  return sql`s.active
    and ${seen === null ? sql`true` : sql`s.marks && ${seen}::text[]`}
    and s.marks @> ${filterMarks(tag, filter)}::text[] and ${afterPlace(sql`s`, after)}`;
}
