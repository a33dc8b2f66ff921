import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { nameHasOneOf } from '../search/name-words.sql.ts';
import { parseQuery, type SoughtWord, wordQuery } from '../search/search-query.ts';
import { candidatesOf } from './question.sql.ts';

/** Further words of a text are not compared. Each may read the names of all scopes. */
const MAX_WORDS = 10;

/**
 * Condition on `candidates q` of the queue: each word of the text is in the name, path or format of the asset, in the name of
 * its scope, or in the name of a type of the question. The last word may be the beginning of one. docs/search.md describes
 * how words are compared. False if the text has no words.
 */
export function holdsWords(tx: Tx, text: string): Statement {
  const { words } = parseQuery(text.replaceAll('"', ' '));
  const [first, ...others] = words.slice(0, MAX_WORDS).map((word) => holdsWord(tx, word));
  return first === undefined ? sql`false` : others.reduce((all, each) => sql`${all} and ${each}`, first);
}

/** The row of the index of words is looked up by id, as in `matches` of a search. The arrays make the names be compared once, not for each row. */
const holdsWord = (tx: Tx, word: SoughtWord): Statement => sql`(
  coalesce((
    select s.words @@ ${wordQuery(tx.tenantId, word, { names: true, kinds: false, texts: false })}::tsquery from asset_search s
     where s.tenant_id = ${unpeeked(tx.tenantId)} and s.asset_id = q.asset_id limit 1), false)
  or q.scope_id = any(array(
    select scope_id from scopes
     where tenant_id = ${tx.tenantId}
       and case when ${mayHave(word)} then ${nameHasOneOf(sql`search_words(name)`, [word])} else false end))
  or exists (
    select from ${candidatesOf(tx, sql`q.asset_id`)} t
     where t.domain_id = q.domain_id and t.status = 'pending' and t.information_type_id = any(array(
       select information_type_id from information_types
        where tenant_id = ${tx.tenantId} and ${nameHasOneOf(sql`name_words`, [word])}))))`;

/** Condition on `scopes`, much cheaper than its words: a name in ASCII has a word only as a part of it. */
const mayHave = ({ spellings, beginnings }: SoughtWord): Statement => sql`(
  name ~ '[^ -~]' or exists (
    select from unnest(${[...spellings, ...beginnings]}::text[]) as part where strpos(lower(name), part) > 0))`;
