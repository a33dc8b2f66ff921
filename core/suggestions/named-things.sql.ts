import type { Visibility } from '../authz/principal.ts';
import { visibleScope } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { FENCE } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** Something with a name. `within` and `detail` tell equal names apart. */
export type NamedThing = { id: string; name: string; within: string | null; detail: string | null };

/** Condition: the text has each of the words as a part. */
const hasWords = (text: Statement, q: string): Statement => sql`
  not exists (select from unnest(${q.split(/\s+/)}::text[]) as word where position(lower(word) in lower(${text})) = 0)`;

/** Names that are equal to `q` come first, then those that begin with it. */
const inOrder = (name: Statement, id: Statement, q: string, most: number): Statement => sql`
  order by lower(${name}) <> lower(${q}), not starts_with(lower(${name}), lower(${q})), lower(${name}), ${id}
  limit ${sql.whole(most)}`;

export const domainsByName = (
  tx: Tx,
  visibility: Visibility,
  q: string,
  most: number,
): Promise<NamedThing[]> =>
  tx.query(sql`
    select domain_id as id, name, null as within, null as detail from domains
     where tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`domain_id`)} and ${hasWords(sql`name`, q)}
     ${inOrder(sql`name`, sql`domain_id`, q, most)}`);

export const typesByName = (tx: Tx, visibility: Visibility, q: string, most: number): Promise<NamedThing[]> =>
  tx.query(sql`
    select t.information_type_id as id, t.name, d.name as within, null as detail
      from information_types t join domains d on d.tenant_id = t.tenant_id and d.domain_id = t.domain_id
     where t.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`t.domain_id`)} and ${hasWords(sql`t.name`, q)}
     ${inOrder(sql`t.name`, sql`d.name, t.information_type_id`, q, most)}`);

/** The fence keeps scopes with other names from being looked up. */
export const scopesByName = (
  tx: Tx,
  visibility: Visibility,
  q: string,
  most: number,
): Promise<NamedThing[]> =>
  tx.query(sql`
    select s.scope_id as id, s.name, s.family as within, s.external_id as detail
      from (select * from scopes where tenant_id = ${tx.tenantId} and ${hasWords(sql`name`, q)} ${FENCE}) s
     where ${visibleScope(visibility)}
     ${inOrder(sql`s.name`, sql`s.scope_id`, q, most)}`);

/** Sought in their e-mail addresses too. */
export const principalsByName = (tx: Tx, q: string, most: number): Promise<NamedThing[]> =>
  tx.query(sql`
    select principal_id as id, display_name as name, nullif(department, '') as within,
           coalesce(email, nullif(title, '')) as detail
      from principals
     where tenant_id = ${tx.tenantId} and ${hasWords(sql`concat_ws(' ', display_name, email)`, q)}
     ${inOrder(sql`display_name`, sql`principal_id`, q, most)}`);
