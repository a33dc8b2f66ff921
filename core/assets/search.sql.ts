import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinDomains } from '../governance/read.ts';
import { searchTag } from '../kernel/search-words.ts';
import type { AssetFilter } from './asset-schema.ts';
import {
  asWhole,
  beginningsOf,
  isAmong,
  type SoughtWord,
  soughtWords,
  spellings,
  toTsquery,
} from './search-query.ts';

/** What is sought beside the words, how many of it, and after which place of the list. */
export type Search = {
  filter: Omit<AssetFilter, 'q'>;
  limit: number;
  after: { changedAt: string; assetId: string } | null;
};

/** A part of a name that is in more assets than this is sought among those that changed last. */
const RARE_MAX = 2_000;
const NEWEST_MAX = 5_000;
/** How frequent a part is, these tell: as many are read at once. */
const SAMPLE = 400;
/** Of a text without these the index of parts knows nothing. */
const THREE_IN_A_ROW = /[\p{L}\p{N}]{3}/u;

/** Words that must be there, and marks of which one must be; null: whatever they are. */
type Wanted = { words: readonly SoughtWord[]; marks: readonly string[] | null };

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
  search: Search,
): Promise<string[]> {
  const sought = soughtWords(q);
  if (sought.length > 0) {
    const isUnfinished = sought.some(({ prefix }) => prefix);
    const { inTexts, types } = await whereWordsAre(tx, visibility, sought);
    for (const words of [asWhole(sought), ...(isUnfinished ? [sought] : [])]) {
      const wanted = wantedOf(searchTag(tx.tenantId), visibility, words, types).map(({ words, marks }) => ({
        query: toTsquery(tx.tenantId, words, { inTexts }),
        marks,
      }));
      const found = await havingWords(tx, wanted, search);
      if (found.length > 0) return found;
      // What a filter or a place leaves out was found all the same.
      const isNarrowed = search.after !== null || filterMarks('', search.filter).length > 0;
      if (isNarrowed && (await havingWords(tx, wanted, ANYWHERE)).length > 0) return [];
    }
  }
  return withPart(tx, visibility, q, search);
}

const ANYWHERE: Search = { filter: {}, limit: 1, after: null };

async function havingWords(
  tx: Tx,
  wanted: readonly { query: string; marks: readonly string[] | null }[],
  { filter, limit, after }: Search,
): Promise<string[]> {
  const rows = await tx.query<{ assetId: string }>(sql`
    select distinct found.asset_id as "assetId"
      from jsonb_to_recordset(${sql.json(wanted)}::jsonb) as wanted (query text, marks text[])
     cross join lateral assets_having(
       wanted.query::tsquery, wanted.marks, ${filterMarks(searchTag(tx.tenantId), filter)}::text[],
       ${after && new Date(after.changedAt)}::timestamptz, ${after?.assetId ?? null}, ${limit}) as found (asset_id)`);
  return rows.map(({ assetId }) => assetId);
}

/** All words in the asset itself; or some of them in the name of its type, and the others in it. */
function wantedOf(
  tag: string,
  visibility: Visibility,
  sought: readonly SoughtWord[],
  types: readonly NamedType[],
): Wanted[] {
  const named = types.filter(({ nameWords }) => sought.some((word) => isAmong(word, nameWords)));
  const byRest = Map.groupBy(named, ({ nameWords }) =>
    sought.map((word) => (isAmong(word, nameWords) ? '1' : '0')).join(''),
  );
  const inTypes = [...byRest.values()].map((alike) => ({
    words: sought.filter((word) => !isAmong(word, alike[0]?.nameWords ?? [])),
    marks: alike.map((type) => tag + type.informationTypeId),
  }));
  return [{ words: sought, marks: domainMarks(tag, visibility) }, ...inTypes];
}

/** Null for a reader of all. */
const domainMarks = (tag: string, visibility: Visibility): string[] | null =>
  visibility.kind === 'tenant' ? null : visibility.domainIds.map((id) => tag + id);

const filterMarks = (
  tag: string,
  { informationTypeId, labelState, riskSeverity }: Search['filter'],
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
async function withPart(tx: Tx, visibility: Visibility, q: string, search: Search): Promise<string[]> {
  const sampled = await amongNewest(tx, visibility, q, search, SAMPLE);
  if (sampled.length === search.limit) return sampled;
  const isFrequent = sampled.length * NEWEST_MAX >= search.limit * SAMPLE;
  const met = isFrequent ? await amongNewest(tx, visibility, q, search, NEWEST_MAX) : null;
  if (met?.length === search.limit) return met;
  const [rare] = await tx.query<{ isRare: boolean; assetIds: string[] }>(sql`
    with part as materialized (
      select assets_matching(lower(${q}), ${isAnywhere(q)}, ${RARE_MAX + 1}) as asset_id
    ), allowed as materialized (
      -- An array, so that nothing but the index over ids is walked.
      select s.asset_id, s.changed_at from asset_search s
       where s.tenant_id = ${tx.tenantId} and s.asset_id = any(array(select asset_id from part))
         and ${allowedBy(searchTag(tx.tenantId), visibility, search)}
    )
    select (select count(*) from part) <= ${RARE_MAX} as "isRare",
           array(select asset_id from allowed order by changed_at desc, asset_id desc limit ${search.limit}) as "assetIds"`);
  if (rare?.isRare === true) return rare.assetIds;
  return met ?? amongNewest(tx, visibility, q, search, NEWEST_MAX);
}

/** The same among so many assets that the reader may see and that changed last; none is read beyond what is asked for. */
async function amongNewest(
  tx: Tx,
  visibility: Visibility,
  q: string,
  search: Search,
  most: number,
): Promise<string[]> {
  const matches = isAnywhere(q)
    ? sql`strpos(lower(a.name || e'\n' || a.path || e'\n' || coalesce(a.format, '')), lower(${q})) > 0`
    : sql`starts_with(lower(a.name), lower(${q}))`;
  const first = (of: Statement) => sql`
    ${afterPlace(of, search)} order by ${of}.changed_at desc, ${of}.asset_id desc limit ${most}`;
  const newest =
    visibility.kind === 'tenant'
      ? sql`select a.asset_id, ${matches} as has_part from assets a
             where a.tenant_id = ${tx.tenantId} and a.status = 'active' and ${first(sql`a`)}`
      : sql`select n.asset_id, (select ${matches} from assets a
                                 where a.tenant_id = ${tx.tenantId} and a.asset_id = n.asset_id) as has_part
              from (select distinct p.asset_id, p.changed_at
                      from domains o cross join lateral (
                        select p.asset_id, p.changed_at from asset_placements p
                         where p.tenant_id = o.tenant_id and p.domain_id = o.domain_id and p.firmest
                           and ${first(sql`p`)}) p
                     where o.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`o.domain_id`)}
                       and ${first(sql`p`)}) n`;
  // Single values and no joins, so that the newest are gone through in their order and no further than is needed.
  const rows = await tx.query<{ assetId: string }>(sql`
    select n.asset_id as "assetId" from (${newest}) n
     where case when n.has_part then (
             select ${allowedBy(searchTag(tx.tenantId), visibility, search)} from asset_search s
              where s.tenant_id = ${tx.tenantId} and s.asset_id = n.asset_id) end
     limit ${search.limit}`);
  return rows.map(({ assetId }) => assetId);
}

const isAnywhere = (q: string): boolean => THREE_IN_A_ROW.test(q);

/** Of `asset_search s`: what the reader may see, the filter allows, and comes after the place. */
function allowedBy(tag: string, visibility: Visibility, search: Search): Statement {
  const seen = domainMarks(tag, visibility);
  return sql`s.active
    and ${seen === null ? sql`true` : sql`s.marks && ${seen}::text[]`}
    and s.marks @> ${filterMarks(tag, search.filter)}::text[] and ${afterPlace(sql`s`, search)}`;
}

/** Of what has a place in the list: whether it comes after the one that is given. */
const afterPlace = (of: Statement, { after }: Search): Statement =>
  after === null
    ? sql`true`
    : sql`(${of}.changed_at, ${of}.asset_id) < (${new Date(after.changedAt)}, ${after.assetId})`;
