import { sha256 } from '../auth/session.sql.ts';
import type { PrincipalKind, Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type PrincipalId } from '../kernel/ids.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import type { Role } from '../kernel/vocabulary.ts';

export const ROLE_SOURCES = ['granted', 'claimed'] as const;
type RoleSource = (typeof ROLE_SOURCES)[number];

export const PRINCIPAL_STATUSES = ['active', 'disabled'] as const;
export type PrincipalStatus = (typeof PRINCIPAL_STATUSES)[number];

/** How somebody is recognised at sign-in: `bound` has signed in, or is named by issuer and subject. */
export const IDENTITY_STATES = ['bound', 'invited', 'directory', 'none'] as const;

export type ListedPrincipal = {
  principalId: PrincipalId;
  kind: PrincipalKind;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
  status: PrincipalStatus;
  roles: { role: Role; source: RoleSource }[];
  identity: (typeof IDENTITY_STATES)[number];
  lastSignInAt: Date | null;
};

export type PrincipalFilter = {
  q?: string | undefined;
  role?: Role | undefined;
  source?: RoleSource | undefined;
  status?: PrincipalStatus | undefined;
  kind?: PrincipalKind | undefined;
  domainId?: string | undefined;
};

/** Orders of the list. A minus: the last in the alphabet, or who has signed in last, first. */
export const PRINCIPAL_SORTS = ['name', '-name', 'lastSignIn', '-lastSignIn'] as const;

const ORDERS: Record<(typeof PRINCIPAL_SORTS)[number], Statement> = {
  name: sql`lower(p.display_name), p.principal_id`,
  '-name': sql`lower(p.display_name) desc, p.principal_id desc`,
  lastSignIn: sql`p.last_sign_in_at nulls first, p.principal_id`,
  '-lastSignIn': sql`p.last_sign_in_at desc nulls last, p.principal_id desc`,
};

type Listing = {
  sort?: (typeof PRINCIPAL_SORTS)[number];
  /** In the order of names: only those after this one. */
  after?: string | null;
  /** The domains that the reader may filter by. A foreign one has nobody, as one that does not exist. */
  taxonomy?: Visibility | null;
};

/** By name, unless another order is asked for; at most `limit`. `q` is a part of name, title, department or address. */
export const listPrincipals = (
  tx: Tx,
  filter: PrincipalFilter,
  limit: number,
  now: number,
  { sort = 'name', after = null, taxonomy = null }: Listing = {},
): Promise<ListedPrincipal[]> =>
  tx.query(sql`
    select p.principal_id as "principalId", p.kind, p.display_name as "displayName", p.title, p.department, p.email,
           p.status,
           coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'source', r.source) order by r.role, r.source)
                       from principal_roles r
                      where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id), '[]') as roles,
           case when p.idp_subject is not null then 'bound'
                when exists (select from sign_in_codes c
                              where c.tenant_id = p.tenant_id and c.principal_id = p.principal_id
                                and c.used_at is null and c.expires_at > ${new Date(now)}) then 'invited'
                when p.directory_id is not null then 'directory'
                else 'none' end as identity,
           p.last_sign_in_at as "lastSignInAt"
      from principals p
     where ${met(tx, filter, taxonomy)} and ${
       after === null
         ? sql`true`
         : sql`(lower(p.display_name), p.principal_id) > (
             select lower(display_name), principal_id from principals where tenant_id = ${tx.tenantId} and principal_id = ${after})`
     }
     order by ${ORDERS[sort]} limit ${limit}`);

/** How many the list has under a filter. */
export async function countPrincipals(
  tx: Tx,
  filter: PrincipalFilter,
  taxonomy: Visibility | null,
): Promise<Total> {
  const [row] = await tx.query<{ counted: number }>(sql`
    select count(*)::int as counted
      from (select from principals p where ${met(tx, filter, taxonomy)} limit ${sql.whole(MAX_COUNTED + 1)}) counted`);
  return totalOf(row?.counted ?? 0);
}

/** Condition on `principals p`. */
function met(
  tx: Tx,
  { q, role, source, status, kind, domainId }: PrincipalFilter,
  taxonomy: Visibility | null,
): Statement {
  const ofDomain =
    domainId === undefined
      ? sql`true`
      : sql`exists (
          select from owner_assignments o
           where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.ended_at is null
             and o.domain_id = ${domainId} and ${taxonomy === null ? sql`false` : withinDomains(taxonomy, sql`o.domain_id`)})`;
  return sql`p.tenant_id = ${tx.tenantId}
    and (${q ?? null}::text is null
         or position(lower(${q ?? ''}) in lower(concat_ws(' ', p.display_name, p.title, p.department, p.email))) > 0)
    and (${status ?? null}::text is null or p.status = ${status ?? null})
    and (${kind ?? null}::text is null or p.kind = ${kind ?? null})
    and ((${role ?? null}::text is null and ${source ?? null}::text is null) or exists (
          select from principal_roles r
           where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id
             and r.role = coalesce(${role ?? null}, r.role) and r.source = coalesce(${source ?? null}, r.source)))
    and ${ofDomain}`;
}

export type LockedPrincipal = {
  kind: PrincipalKind;
  status: PrincipalStatus;
  isBound: boolean;
  granted: Role[];
};

/** Locks a principal until the transaction ends; null where there is none. */
export async function lockPrincipal(tx: Tx, principalId: string): Promise<LockedPrincipal | null> {
  const [row] = await tx.query<LockedPrincipal>(sql`
    select p.kind, p.status, p.idp_subject is not null as "isBound",
           array(select r.role from principal_roles r
                  where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id and r.source = 'granted'
                  order by r.role) as granted
      from principals p
     where p.tenant_id = ${tx.tenantId} and p.principal_id = ${principalId} for no key update`);
  return row ?? null;
}

export type NewPrincipal = {
  kind: PrincipalKind;
  displayName: string;
  title: string;
  department: string;
  /** `directoryId` is null where the subject does not have it. */
  identity: { issuer: string; subject: string; directoryId: string | null } | null;
};

/** The identity provider whose people belong to the tenant; null where it is bound to none. */
export async function issuerOfTenant(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ issuer: string | null }>(sql`
    select idp_issuer as issuer from tenants where tenant_id = ${tx.tenantId}`);
  return row?.issuer ?? null;
}

/** Null where somebody has that identity already, or the directory has named them. */
export async function insertPrincipal(tx: Tx, who: NewPrincipal, now: number): Promise<PrincipalId | null> {
  const principalId = newId('pri', now) as PrincipalId;
  const made = await tx.execute(sql`
    insert into principals (tenant_id, principal_id, kind, display_name, title, department, idp_issuer, idp_subject,
                            directory_id, created_at)
    values (${tx.tenantId}, ${principalId}, ${who.kind}, ${who.displayName}, ${who.title}, ${who.department},
            ${who.identity?.issuer ?? null}, ${who.identity?.subject ?? null}, ${who.identity?.directoryId ?? null},
            ${new Date(now)})
    on conflict do nothing`);
  return made === 0 ? null : principalId;
}

export async function setStatus(tx: Tx, principalId: string, status: PrincipalStatus): Promise<void> {
  await tx.execute(sql`
    update principals set status = ${status}
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId}`);
}

/**
 * Keeps a code that is used once, and ends earlier ones for the same purpose.
 * @param of `principalId` null: a setup code
 */
export async function storeCode(
  tx: Tx,
  code: string,
  of: { principalId: string | null; createdBy: PrincipalId | null; expiresAt: Date },
  now: number,
): Promise<void> {
  const at = new Date(now);
  await tx.execute(sql`
    update sign_in_codes set used_at = ${at}
     where tenant_id = ${tx.tenantId} and principal_id is not distinct from ${of.principalId} and used_at is null`);
  await tx.execute(sql`
    insert into sign_in_codes (code_hash, tenant_id, principal_id, created_by, created_at, expires_at)
    values (${sha256(code)}, ${tx.tenantId}, ${of.principalId}, ${of.createdBy}, ${at}, ${of.expiresAt})`);
}
