import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isBroadGroup } from '../kernel/broad-groups.ts';
import { holdsOwnerRole, type OwnerKind } from './owners.sql.ts';

/** A person whom the service knows, with what matters for owning the domain. */
export type KnownPerson = {
  principalId: string;
  directoryId: string | null;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
  idpSubject: string | null;
  /** False of who is disabled, and of service principals. */
  mayOwn: boolean;
  holdsRole: boolean;
  /** The person's present assignments to the domain. */
  currentKinds: OwnerKind[];
};

/** The sampled assets of a domain: those that an owner confirmed, and those that are only inferred. */
type Sample = { confirmed: string[]; inferred: string[] };

/** In how many assets of each part of the sample the same thing was found. */
export type SampleCounts = { confirmed: number; inferred: number };

/** What a source reports about a person, by the name that the source uses. */
export type SourceTrace = SampleCounts & { kind: 'modified' | 'access'; identity: string };

/** A group that owns assets or may write to them, by the name that the source uses, and its id in the directory. */
type GroupTrace = SampleCounts & { name: string; groupId: string | null };

/** By what the directory finds a group: a source may give it a name that the directory does not have. */
export const directoryKey = ({ groupId, name }: GroupTrace): string => groupId ?? name;

export type OwnerEvidence = {
  looked: SampleCounts;
  traces: SourceTrace[];
  /** Those of the most assets first, at most 10, without the groups of nearly everyone. */
  groups: GroupTrace[];
  deciders: { principalId: string; count: number }[];
};

const SAMPLED = 1_000;
const MAX_PEOPLE = 5_000;
const MAX_IDENTITIES = 200;
const IDENTITY_CHARACTERS = 200;
const MAX_GROUPS = 10;
/** Assets with more grants are ignored, because one of so many grants says nothing about ownership. */
const MAX_GRANTS = 100;

/** Name and description of a domain, or null if it does not exist. */
export async function domainInWords(
  tx: Tx,
  domainId: string,
): Promise<{ name: string; description: string } | null> {
  const [row] = await tx.query<{ name: string; description: string }>(sql`
    select name, description || e'\n' || inclusion as description from domains
     where tenant_id = ${tx.tenantId} and domain_id = ${domainId}`);
  return row ?? null;
}

/** Everybody, those of `directoryIds` first, then those who hold the role; at most 5,000. */
export const knownPeople = (
  tx: Tx,
  domainId: string,
  directoryIds: readonly string[],
): Promise<KnownPerson[]> =>
  tx.query(sql`
    select p.principal_id as "principalId", p.directory_id as "directoryId", p.display_name as "displayName", p.title,
           p.department, p.email, p.idp_subject as "idpSubject",
           p.status = 'active' and p.kind = 'person' as "mayOwn", ${holdsOwnerRole} as "holdsRole",
           array(select o.kind from owner_assignments o
                  where o.tenant_id = p.tenant_id and o.principal_id = p.principal_id and o.domain_id = ${domainId}
                    and o.ended_at is null order by o.kind) as "currentKinds"
      from principals p
     where p.tenant_id = ${tx.tenantId}
     order by (p.directory_id = any(${directoryIds}::text[])) is not true, not ${holdsOwnerRole}, p.principal_id
     limit ${MAX_PEOPLE}`);

/** Evidence from a domain's assets: the newest 1,000 confirmed ones and the 1,000 that changed last. */
export async function ownerEvidence(tx: Tx, domainId: string): Promise<OwnerEvidence> {
  const sample = await sampleOf(tx, domainId);
  const all = await tracesOf(tx, sample);
  const traces = all.flatMap(({ kind, groupId: _, ...trace }) =>
    kind === 'group' ? [] : [{ kind, ...trace }],
  );
  const groups = all
    .filter(({ kind, identity }) => kind === 'group' && !isBroadGroup(identity))
    .slice(0, MAX_GROUPS)
    .map(({ identity, groupId, confirmed, inferred }) => ({ name: identity, groupId, confirmed, inferred }));
  const deciders = await tx.query<{ principalId: string; count: number }>(sql`
    select d.principal_id as "principalId", count(distinct k.asset_id)::int as count
      from candidates k
      join decisions d on d.tenant_id = k.tenant_id and d.decision_id = k.decision_id
     where k.tenant_id = ${tx.tenantId} and k.domain_id = ${domainId} and k.status = 'confirmed'
       and k.asset_id = any(${sample.confirmed}::text[])
     group by d.principal_id order by d.principal_id`);
  const looked = { confirmed: sample.confirmed.length, inferred: sample.inferred.length };
  return { looked, traces, groups, deciders };
}

async function sampleOf(tx: Tx, domainId: string): Promise<Sample> {
  const [row] = await tx.query<{ confirmed: string[]; changed: string[] }>(sql`
    select array(
             select a.asset_id from assets a
              where a.tenant_id = ${tx.tenantId} and a.status = 'active' and a.asset_id = any(array(
                select distinct k.asset_id from candidates k
                 where k.tenant_id = ${tx.tenantId} and k.domain_id = ${domainId} and k.status = 'confirmed'
                 order by k.asset_id desc limit ${SAMPLED}))
           ) as confirmed,
           array(
             select p.asset_id from asset_placements p
              where p.tenant_id = ${tx.tenantId} and p.domain_id = ${domainId} and p.firmest
              order by p.changed_at desc, p.asset_id desc limit ${SAMPLED}
           ) as changed`);
  const { confirmed, changed } = row ?? { confirmed: [], changed: [] };
  const isConfirmed = new Set(confirmed);
  return { confirmed, inferred: changed.filter((assetId) => !isConfirmed.has(assetId)) };
}

/** Who last modified the assets, and which people and groups of the organization own them or have a grant to write. */
const tracesOf = (
  tx: Tx,
  { confirmed, inferred }: Sample,
): Promise<(Omit<SourceTrace, 'kind'> & { kind: SourceTrace['kind'] | 'group'; groupId: string | null })[]> =>
  tx.query(sql`
    select kind, identity, group_id as "groupId", confirmed, inferred from (
      select kind, identity, group_id, confirmed, inferred,
             row_number() over (partition by kind order by confirmed desc, inferred desc, identity, group_id) as place
        from (
          select t.kind, left(t.identity, ${IDENTITY_CHARACTERS}::int) as identity, t.group_id,
                 count(*) filter (where s.confirmed)::int as confirmed,
                 count(*) filter (where not s.confirmed)::int as inferred
            from (select unnest(${confirmed}::text[]) as asset_id, true as confirmed
                  union all select unnest(${inferred}::text[]), false) s
            join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = s.asset_id
           cross join lateral (
             select 'modified' as kind, a.modified_by as identity, null as group_id
             union
             select case g ->> 'principalKind' when 'user' then 'access' else 'group' end, g ->> 'principal', g ->> 'groupId'
               from jsonb_array_elements(case when jsonb_array_length(a.grants) <= ${MAX_GRANTS} then a.grants else '[]' end) g
              where g ->> 'principalKind' in ('user', 'group') and g ->> 'role' in ('owner', 'write') and g ->> 'external' = 'false'
           ) t
           where t.identity <> ''
           group by 1, 2, 3
        ) counted
    ) ranked
     where place <= ${MAX_IDENTITIES}
     order by kind, place`);
