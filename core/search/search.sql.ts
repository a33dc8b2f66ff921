import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { searchTag } from '../kernel/search-words.ts';
import { withinDomainsUnpeeked } from '../visibility/within-domains.sql.ts';
import { afterPlace, domainOfType, newestPlacements, type Walk } from './newest-placements.sql.ts';
import {
  asWhole,
  beginningsOf,
  isAmong,
  type SoughtWord,
  soughtWords,
  spellings,
  toTsquery,
  wordTerms,
} from './search-query.ts';

/** How frequent a part is, these tell of the newest. */
const SAMPLE = 100;
/** A part of a name that is in more assets than this is sought among those that changed last. */
const MAX_RARE = 2_000;
const MAX_NEWEST = 5_000;
/** Of a text without these the index of parts knows nothing. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** Words that must be there; all in the asset itself, or what is left beside the name of one of these information types. */
type Wanted = { words: readonly number[]; types: readonly string[] | null };

/**
 * Ids of the assets that the reader may see, whose words hold all of `q`, and which the filter allows: the most recently
 * changed, at most `walk.most`. Words of name, path, format, text, of the kinds of what was found in it, and of the
 * information type that the reader sees. Where no asset that they see has them, the last one may be unfinished; where that
 * does not help, `q` is sought as a part of name, path or format, or without three letters or digits in a row as the
 * beginning of the name.
 */
export async function findAssets(tx: Tx, visibility: Visibility, q: string, walk: Walk): Promise<string[]> {
  const sought = soughtWords(q);
  if (sought.length > 0) {
    const where = await whereWordsAre(tx, visibility, sought, walk.filter);
    if (!where.isTypeSeen) return [];
    const searches = [asWhole(sought), ...(sought.some(({ prefix }) => prefix) ? [sought] : [])];
    const { assetIds, isKnown } = await havingWords(tx, visibility, searches, where, walk);
    if (isKnown) return assetIds ?? [];
  }
  return withPart(tx, visibility, q, walk);
}

/** `assetIds` is null where there are none; `isKnown`: there are some, if only without the filter and before the place. */
type Found = { assetIds: string[] | null; isKnown: boolean };

/** What the first of the searches finds that finds anything, by segments of the index of words: see `find_assets`. */
async function havingWords(
  tx: Tx,
  visibility: Visibility,
  searches: readonly (readonly SoughtWord[])[],
  { types, inTexts }: Where,
  { filter, after, most }: Walk,
): Promise<Found> {
  const tag = searchTag(tx.tenantId);
  const each = searches.map((sought) => {
    const groups = sought.map((word) => wordTerms(tx.tenantId, word, { inTexts }));
    return {
      terms: groups.flatMap((terms, group) => terms.map((term) => ({ group, ...term }))),
      ways: wantedOf(sought, types).map(({ words, types }) => ({
        groups: words,
        query: toTsquery(words.map((word) => groups[word] ?? [])),
        any: types === null ? domainMarks(tag, visibility) : types.map((id) => tag + id),
      })),
    };
  });
  const [found] = await tx.query<Found>(sql`
    select asset_ids as "assetIds", is_known as "isKnown"
      from find_assets(${sql.json(each)}::jsonb, ${filterMarks(tag, filter)}::text[],
        ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${most})`);
  return found ?? { assetIds: null, isKnown: false };
}

/** All words in the asset itself; or some of them in the name of its type, and the others in it. Words by their places. */
function wantedOf(sought: readonly SoughtWord[], types: readonly NamedType[]): Wanted[] {
  const placed = sought.map((word, place) => ({ word, place }));
  const besides = ({ nameWords }: NamedType): number[] =>
    placed.filter(({ word }) => !isAmong(word, nameWords)).map(({ place }) => place);
  const named = types
    .map((type) => ({ informationTypeId: type.informationTypeId, words: besides(type) }))
    .filter(({ words }) => words.length < sought.length);
  const alike = [...Map.groupBy(named, ({ words }) => words.join(' ')).values()];
  const inTypes = alike.map((each) => ({
    words: each[0]?.words ?? [],
    types: each.map(({ informationTypeId }) => informationTypeId),
  }));
  return [{ words: placed.map(({ place }) => place), types: null }, ...inTypes];
}

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

/** `isTypeSeen` is true where none is asked for. */
type Where = { inTexts: boolean; types: readonly NamedType[]; isTypeSeen: boolean };

/**
 * Whether texts are searched, the information types of the reader's domains whose names hold one of the words, and whether
 * the type that is asked for is one of theirs.
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
         and (name_words && ${sql.unpeeked(sought.flatMap(({ folded }) => spellings(folded)))} or exists (
           select from unnest(name_words) as word, unnest(${sql.unpeeked(beginningsOf(sought))}) as beginning
            where starts_with(word, beginning)))
       order by information_type_id) as types, ${
         informationTypeId === undefined
           ? sql`true`
           : withinDomainsUnpeeked(visibility, domainOfType(tx, informationTypeId))
       } is true as "isTypeSeen"
      from tenants where tenant_id = ${tx.tenantId}`);
  return row ?? { inTexts: false, types: [], isTypeSeen: false };
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
  const among = (newest: number) => amongNewest(tx, visibility, matches, walk, newest);
  const sample = await among(SAMPLE);
  if (isEnough(sample, walk)) return sample.found;
  const needed = neededFor(sample, walk);
  const met = sample.found.length > 0 ? await among(Math.min(needed, MAX_NEWEST)) : NOTHING;
  if (isEnough(met, walk)) return met.found;
  const [rare] = await tx.query<{ isRare: boolean; assetIds: string[] }>(sql`
    with part as materialized (
      select assets_matching(lower(${q}), ${isAnywhere(q)}, ${MAX_RARE + 1}) as asset_id
    ), allowed as materialized (
      -- An array, so that nothing but the index over ids is walked.
      select s.asset_id, s.changed_at from asset_search s
       where s.tenant_id = ${tx.tenantId} and s.asset_id = any(array(select asset_id from part))
         and ${allowedBy(searchTag(tx.tenantId), visibility, walk)}
    )
    select (select count(*) from part) <= ${MAX_RARE} as "isRare",
           array(select asset_id from allowed order by changed_at desc, asset_id desc limit ${most}) as "assetIds"`);
  if (rare?.isRare === true) return rare.assetIds;
  // Walked so far already, perhaps.
  return (met !== NOTHING && needed >= MAX_NEWEST ? met : await among(MAX_NEWEST)).found;
}

/** Ids that match, the most recently changed first, and whether the walk came to the end of the list. */
type Met = { found: string[]; isAll: boolean };

const NOTHING: Met = { found: [], isAll: false };

const isEnough = ({ found, isAll }: Met, { most }: Walk): boolean => isAll || found.length === most;

/** How far to walk by what a sample tells: half as far again, and rounded up, so that few statements are prepared. */
const neededFor = ({ found }: Met, { most }: Walk): number =>
  250 * 2 ** Math.ceil(Math.log2(Math.max(1, (1.5 * most * SAMPLE) / found.length / 250)));

/**
 * What matches, among so many that the reader may see, the filter allows and that changed last; none is looked at beyond
 * what is asked for.
 * @param matches of the list `n` of ids; a single value and no join, so that the newest are gone through in their order
 */
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

const isAnywhere = (q: string): boolean => THREE_IN_A_ROW.test(q);

/** Of `asset_search s`: what the reader may see, the filter allows, and comes after the place. */
function allowedBy(tag: string, visibility: Visibility, { filter, after }: Walk): Statement {
  const seen = domainMarks(tag, visibility);
  return sql`s.active
    and ${seen === null ? sql`true` : sql`s.marks && ${seen}::text[]`}
    and s.marks @> ${filterMarks(tag, filter)}::text[] and ${afterPlace(sql`s`, after)}`;
}
