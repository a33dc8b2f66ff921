import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import { searchTag } from '../kernel/search-words.ts';
import type { TenantId } from '../kernel/ids.ts';
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
/** What is so frequent is met among as many of the newest, which is sooner than to put all that has it in order. */
const WALK_MAX = 2_000;
/** A part of a name that is in more assets than this is sought among those that changed last. */
const RARE_MAX = 2_000;
const NEWEST_MAX = 5_000;
/** Of a text without these the index of parts knows nothing. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** Words that must be there; all in the asset itself, or what is left beside the name of one of these information types. */
type Wanted = { query: string; typeMarks: readonly string[] | null };

/**
 * Ids of the assets that the reader may see, whose words hold all of `q`, and which the filter allows: the most recently
 * changed, at least `limit` of them where there are so many. Words of name, path, format, text, of the kinds of what was
 * found in it, and of the information type that the reader sees. Where no asset that he sees has them, the last one may be
 * unfinished; where that does not help, `q` is sought as a part of name, path or format, or without three letters or
 * digits in a row as the beginning of the name.
 */
export async function findAssets(
  tx: Tx,
  visibility: Visibility,
  q: string,
  walk: Walk,
): Promise<string[]> {
  const sought = soughtWords(q);
  if (sought.length > 0) {
    const isUnfinished = sought.some(({ prefix }) => prefix);
    const { inTexts, types } = await whereWordsAre(tx, visibility, sought);
    for (const words of [asWhole(sought), ...(isUnfinished ? [sought] : [])]) {
      const wanted = wantedOf(tx.tenantId, words, types, inTexts);
      const found = await havingWords(tx, visibility, wanted, walk);
      if (found.length > 0) return found;
      // What a filter or a place leaves out was found all the same.
      const isNarrowed = walk.after !== null || filterMarks('', walk.filter).length > 0;
      if (isNarrowed && (await havingWords(tx, visibility, wanted, ANYWHERE)).length > 0) return [];
    }
  }
  return withPart(tx, visibility, q, walk);
}

const ANYWHERE: Walk = { filter: {}, most: 1, after: null };

/** What is frequent is met among the newest; what is less so is sought by the index of words, and put in order. */
async function havingWords(
  tx: Tx,
  visibility: Visibility,
  wanted: readonly Wanted[],
  walk: Walk,
): Promise<string[]> {
  const isWanted = wanted
    .map(({ query, typeMarks }) => sql`
      (${query === '' ? sql`true` : sql`s.words @@ ${query}::tsquery`}
       and ${typeMarks === null ? sql`true` : sql`s.marks && ${typeMarks}::text[]`})`)
    .reduce((one, other) => sql`${one} or ${other}`);
  const matches = sql`(select ${isWanted} from asset_search s where s.tenant_id = ${tx.tenantId} and s.asset_id = n.asset_id)`;
  const sampled = await amongNewest(tx, visibility, matches, walk, SAMPLE);
  if (sampled.length === walk.most) return sampled;
  // Half as many again, since it is a guess.
  const needed = Math.ceil((1.5 * walk.most * SAMPLE) / sampled.length);
  if (needed <= WALK_MAX) {
    const met = await amongNewest(tx, visibility, matches, walk, roundedUp(needed));
    if (met.length === walk.most) return met;
  }
  const { filter, after, most } = walk;
  const tag = searchTag(tx.tenantId);
  const rows = await tx.query<{ assetId: string }>(sql`
    select distinct found.asset_id as "assetId"
      from jsonb_to_recordset(${sql.json(
        wanted.map(({ query, typeMarks }) => ({ query, marks: typeMarks ?? domainMarks(tag, visibility) })),
      )}::jsonb) as wanted (query text, marks text[])
     cross join lateral assets_having(
       wanted.query::tsquery, wanted.marks, ${filterMarks(tag, filter)}::text[],
       ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${most}) as found (asset_id)`);
  return rows.map(({ assetId }) => assetId);
}

/** So that few statements are prepared for walks of any length. */
const roundedUp = (most: number): number => Math.ceil(most / 250) * 250;

/** All words in the asset itself; or some of them in the name of its type, and the others in it. */
function wantedOf(
  tenantId: TenantId,
  sought: readonly SoughtWord[],
  types: readonly NamedType[],
  inTexts: boolean,
): Wanted[] {
  const queryOf = (words: readonly SoughtWord[]) => toTsquery(tenantId, words, { inTexts });
  const named = types.filter(({ nameWords }) => sought.some((word) => isAmong(word, nameWords)));
  const byRest = Map.groupBy(named, ({ nameWords }) =>
    sought.map((word) => (isAmong(word, nameWords) ? '1' : '0')).join(''),
  );
  const inTypes = [...byRest.values()].map((alike) => ({
    query: queryOf(sought.filter((word) => !isAmong(word, alike[0]?.nameWords ?? []))),
    typeMarks: alike.map((type) => searchTag(tenantId) + type.informationTypeId),
  }));
  return [{ query: queryOf(sought), typeMarks: null }, ...inTypes];
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

/** Whether texts are searched, and the information types of the reader's domains whose names hold one of the words. */
async function whereWordsAre(
  tx: Tx,
  visibility: Visibility,
  sought: readonly SoughtWord[],
): Promise<{ inTexts: boolean; types: readonly NamedType[] }> {
  const [row] = await tx.query<{ inTexts: boolean; types: NamedType[] }>(sql`
    select data_handling_profile <> 'metadata_only' as "inTexts", array(
      select jsonb_build_object('informationTypeId', information_type_id, 'nameWords', name_words)
        from information_types
       where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)}
         and (name_words && ${sought.flatMap(({ folded }) => spellings(folded))}::text[] or exists (
           select from unnest(name_words) as word, unnest(${beginningsOf(sought)}::text[]) as beginning
            where starts_with(word, beginning)))
       order by information_type_id) as types
      from tenants where tenant_id = ${tx.tenantId}`);
  return row ?? { inTexts: false, types: [] };
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
  const sampled = await amongNewest(tx, visibility, matches, walk, SAMPLE);
  if (sampled.length === most) return sampled;
  const isFrequent = sampled.length * NEWEST_MAX >= most * SAMPLE;
  const met = isFrequent ? await amongNewest(tx, visibility, matches, walk, NEWEST_MAX) : null;
  if (met?.length === most) return met;
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
  return met ?? amongNewest(tx, visibility, matches, walk, NEWEST_MAX);
}

/**
 * Those that match among so many that the reader may see, the filter allows and that changed last; none is looked at
 * beyond what is asked for.
 * @param matches of the list `n` of ids; a single value and no join, so that the newest are gone through in their order
 */
async function amongNewest(
  tx: Tx,
  visibility: Visibility,
  matches: Statement,
  walk: Walk,
  most: number,
): Promise<string[]> {
  const newest = newestPlacements(tx, visibility, { ...walk, most }, { withPlacements: false });
  const rows = await tx.query<{ assetId: string }>(sql`
    select n.asset_id as "assetId" from (${newest}) n where ${matches} limit ${sql.whole(walk.most)}`);
  return rows.map(({ assetId }) => assetId);
}

const isAnywhere = (q: string): boolean => THREE_IN_A_ROW.test(q);

/** Of `asset_search s`: what the reader may see, the filter allows, and comes after the place. */
function allowedBy(tag: string, visibility: Visibility, { filter, after }: Walk): Statement {
  const seen = domainMarks(tag, visibility);
  return sql`s.active
    and ${seen === null ? sql`true` : sql`s.marks && ${seen}::text[]`}
    and s.marks @> ${filterMarks(tag, filter)}::text[] and ${afterPlace(sql`s`, after)}`;
}
