import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { SoughtWord } from './search-query.ts';

/** Condition on the words of a name: one of the sought words is among them, or begins one of them. */
export const nameHasOneOf = (nameWords: Statement, sought: readonly SoughtWord[]): Statement => sql`(
  ${nameWords} && ${unpeeked(sought.flatMap(({ spellings }) => spellings))} or exists (
    select from unnest(${nameWords}) as word, unnest(${unpeeked(sought.flatMap(({ beginnings }) => beginnings))}) as beginning
     where starts_with(word, beginning)))`;
