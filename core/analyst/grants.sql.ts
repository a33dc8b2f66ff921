import { type Statement, sql } from '../db/sql.ts';
import { REACH } from '../findings/exposure.sql.ts';
import { type Condition, grantConditions } from './plan.ts';

/** Of a grant `g`: who has it. For a guest, the address that was invited. */
const GRANTEE = sql`coalesce(
  regexp_replace(substring(lower(g ->> 'principal') from '^(.+)#ext#@'), '_([^_]+)$', '@\\1'), lower(g ->> 'principal'))`;

/**
 * Condition on a grant `g`: who has it has this address, an address of this domain and not of one below it, or a name
 * that holds these words, whole.
 */
export function isGrantedTo(text: string): Statement {
  const address = /^(?:[^\s@]*@)?([^\s@]+\.[^\s@]+)$/.exec(text.trim().toLowerCase());
  if (address !== null) {
    const [whole, domain] = address;
    const named = sql`regexp_split_to_table(${GRANTEE}, '[][[:space:]<>()|,;"''\\\\]+') word`;
    return /^[^@]+@/.test(whole)
      ? sql`exists (select from ${named} where word = ${whole})`
      : sql`exists (select from ${named} where split_part(word, '@', -1) = ${domain ?? ''})`;
  }
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return sql`position(${` ${words.join(' ')} `} in
    ' ' || regexp_replace(lower(g ->> 'principal'), '[^[:alnum:]]+', ' ', 'g') || ' ') > 0`;
}

/**
 * The grants `g` of `assets a` that meet the one condition on grants, for groups by who has access. The domain of a guest
 * is that of the address that was invited.
 */
export function grantsOf(where: readonly Condition[]): Statement {
  const [condition] = grantConditions(where);
  const meets =
    condition === undefined
      ? sql`true`
      : condition.field === 'grantee'
        ? isGrantedTo(condition.text)
        : sql`${REACH} = any(${condition.any}::text[])`;
  return sql`
  left join lateral (
    select g ->> 'principal' as grantee,
           case when g ->> 'principalKind' = 'user' then substring(${GRANTEE} from '@([^@ ]+)$') end as "granteeDomain"
      from jsonb_array_elements(a.grants) g
     where ${meets}) g on true`;
}
