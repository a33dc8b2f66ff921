import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { type DomainId, newId, type TenantId } from '../kernel/ids.ts';
import { type Attestation, attestationAt, type StoredAttestation } from './attestation.ts';

export const OWNER_KINDS = ['owner', 'delegate', 'steward'] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];

/** A person's active assignment to a domain. */
export type OwnerAttestation = {
  assignmentId: string;
  principalId: string;
  domainId: string;
  kind: OwnerKind;
  attestation: Attestation;
};

export type ListedOwner = OwnerAttestation & {
  displayName: string;
  title: string;
  department: string;
  principalStatus: 'active' | 'disabled';
  /** The person is disabled or has lost the role, so cannot act: somebody else is needed. */
  isOrphaned: boolean;
  domainName: string;
  attestationDays: number | null;
  assignedAt: string;
};

type Row<T extends OwnerAttestation> = Omit<T, 'attestation'> & StoredAttestation;

/** Columns of `owner_assignments o`. */
const stored = sql`
  o.assignment_id as "assignmentId", o.principal_id as "principalId", o.domain_id as "domainId", o.kind,
  o.attestation_days as "attestationDays", o.attestation_due_at as "dueAt", o.attested_at as "attestedAt"`;

/** Orders by kind, as `OWNER_KINDS` lists them. */
const kindOrder = sql`array_position(${[...OWNER_KINDS]}::text[], o.kind)`;

/** Whether `principals p` holds the role of owners. */
export const holdsOwnerRole = sql`exists (
  select from principal_roles r
   where r.tenant_id = p.tenant_id and r.principal_id = p.principal_id and r.role = 'domain_owner')`;

/** Whether `principals p` could act for a domain that is assigned to them. */
const canAct = sql`(p.status = 'active' and ${holdsOwnerRole})`;

/**
 * Active assignments to the domains that the reader may see, or to one of them, ordered by domain, kind and name; at
 * most `limit`.
 */
export async function listOwners(
  tx: Tx,
  visibility: Visibility,
  domainId: string | undefined,
  limit: number,
  now: number,
): Promise<ListedOwner[]> {
  const rows = await tx.query<Row<Omit<ListedOwner, 'assignedAt'>> & { assignedAt: Date }>(sql`
    select ${stored}, p.display_name as "displayName", p.title, p.department, p.status as "principalStatus",
           not ${canAct} as "isOrphaned", d.name as "domainName", o.created_at as "assignedAt"
      from owner_assignments o
      join principals p on p.tenant_id = o.tenant_id and p.principal_id = o.principal_id
      join domains d on d.tenant_id = o.tenant_id and d.domain_id = o.domain_id
     where o.tenant_id = ${tx.tenantId} and o.ended_at is null and ${withinDomains(visibility, sql`o.domain_id`)}
       and ${domainId === undefined ? sql`true` : sql`o.domain_id = ${domainId}`}
     order by lower(d.name), o.domain_id, ${kindOrder}, lower(p.display_name), o.assignment_id limit ${limit}`);
  return rows.map(({ dueAt, attestedAt, assignedAt, ...row }) => ({
    ...row,
    assignedAt: assignedAt.toISOString(),
    attestation: attestationAt({ attestationDays: row.attestationDays, dueAt, attestedAt }, now),
  }));
}

/** Whether `domains d` has an owner who can act: one who is not disabled and holds the role. */
export const hasOwner = sql`exists (
  select from owner_assignments o
    join principals p on p.tenant_id = o.tenant_id and p.principal_id = o.principal_id
   where o.tenant_id = d.tenant_id and o.domain_id = d.domain_id and o.kind = 'owner' and o.ended_at is null
     and ${canAct})`;

/** The attestations of a person's active assignments, ordered by domain. */
export async function attestationsOf(
  tx: Tx,
  { principalId }: { principalId: string },
  now: number,
): Promise<OwnerAttestation[]> {
  const rows = await tx.query<Row<OwnerAttestation>>(sql`
    select ${stored} from owner_assignments o
     where o.tenant_id = ${tx.tenantId} and o.principal_id = ${principalId} and o.ended_at is null
     order by o.domain_id, ${kindOrder}, o.assignment_id`);
  return rows.map(({ attestationDays, dueAt, attestedAt, ...row }) => ({
    ...row,
    attestation: attestationAt({ attestationDays, dueAt, attestedAt }, now),
  }));
}

/** Of whom an assignment is to be: somebody by the service's own id, or by that of the directory. */
export type AssigneeKey = { principalId: string } | { directoryId: string };

export type Assignee = {
  principalId: string;
  kind: 'person' | 'service';
  status: 'active' | 'disabled';
  holdsRole: boolean;
};

/** Null where the service knows nobody of this id. */
export async function findAssignee(tx: Tx, key: AssigneeKey): Promise<Assignee | null> {
  const isMeant =
    'principalId' in key
      ? sql`p.principal_id = ${key.principalId}`
      : sql`p.directory_id = ${key.directoryId}`;
  const [row] = await tx.query<Assignee>(sql`
    select p.principal_id as "principalId", p.kind, p.status, ${holdsOwnerRole} as "holdsRole"
      from principals p where p.tenant_id = ${tx.tenantId} and ${isMeant}`);
  return row ?? null;
}

export async function domainExists(tx: Tx, domainId: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select from domains where tenant_id = ${tx.tenantId} and domain_id = ${domainId}`,
  );
  return rows.length === 1;
}

/** Adds an assignment. Null if the person has an active one of this kind for the domain. */
export async function insertAssignment(
  tx: Tx,
  of: { principalId: string; domainId: string; kind: OwnerKind; attestationDays: number | null },
  now: number,
): Promise<string | null> {
  const assignmentId = newId('own', now);
  const made = await tx.execute(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, attestation_days, created_at)
    values (${tx.tenantId}, ${assignmentId}, ${of.principalId}, ${of.domainId}, ${of.kind}, ${of.attestationDays},
            ${new Date(now)})
    on conflict (tenant_id, principal_id, domain_id, kind) where ended_at is null do nothing`);
  return made === 0 ? null : assignmentId;
}

/** Locks an active assignment until the transaction ends. Null if it does not exist or has ended. */
export async function lockActiveAssignment(
  tx: Tx,
  assignmentId: string,
): Promise<Row<OwnerAttestation> | null> {
  const [row] = await tx.query<Row<OwnerAttestation>>(sql`
    select ${stored} from owner_assignments o
     where o.tenant_id = ${tx.tenantId} and o.assignment_id = ${assignmentId} and o.ended_at is null
       for no key update`);
  return row ?? null;
}

/** Records an attestation. The due date moves with it. */
export const recordAttestation = (tx: Tx, assignmentId: string, now: number) =>
  updateLocked(tx, assignmentId, sql`attested_at = ${new Date(now)}`);

/** Sets the period of attestation. The due date moves with it. */
export const setAttestationDays = (tx: Tx, assignmentId: string, days: number | null) =>
  updateLocked(tx, assignmentId, sql`attestation_days = ${days}`);

async function updateLocked(tx: Tx, assignmentId: string, change: Statement): Promise<StoredAttestation> {
  const [row] = await tx.query<StoredAttestation>(sql`
    update owner_assignments o set ${change}
     where o.tenant_id = ${tx.tenantId} and o.assignment_id = ${assignmentId} returning ${stored}`);
  if (row === undefined) throw new Error('A locked assignment no longer exists');
  return row;
}

/** Ends an assignment. `ended` is false if it had ended before. Null if it does not exist. */
export async function endActiveAssignment(
  tx: Tx,
  assignmentId: string,
  now: number,
): Promise<{ ended: boolean; endedAt: Date; domainId: string; principalId: string } | null> {
  const [before] = await tx.query<{ endedAt: Date | null; domainId: string; principalId: string }>(sql`
    select ended_at as "endedAt", domain_id as "domainId", principal_id as "principalId" from owner_assignments
     where tenant_id = ${tx.tenantId} and assignment_id = ${assignmentId} for no key update`);
  if (before === undefined) return null;
  if (before.endedAt !== null) return { ...before, endedAt: before.endedAt, ended: false };
  const endedAt = new Date(now);
  await tx.execute(sql`
    update owner_assignments set ended_at = ${endedAt}
     where tenant_id = ${tx.tenantId} and assignment_id = ${assignmentId}`);
  return { ...before, endedAt, ended: true };
}

/** Condition on `owner_assignments`: overdue, and not yet noted for this due date. */
const newlyOverdue = (now: number): Statement => sql`
  ended_at is null and attestation_due_at <= ${new Date(now)}
  and (overdue_noted_at is null or overdue_noted_at < attestation_due_at)`;

export async function tenantsWithNewlyOverdue(tx: EngineTx, now: number): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select distinct tenant_id as "tenantId" from owner_assignments where ${newlyOverdue(now)} order by 1`);
  return rows.map((row) => row.tenantId);
}

/**
 * Notes newly overdue attestations, at most `limit`, and returns their assignments. Concurrent calls note different
 * ones.
 */
export const noteNewlyOverdue = (
  tx: Tx,
  limit: number,
  now: number,
): Promise<{ assignmentId: string; domainId: string; principalId: string }[]> =>
  tx.query(sql`
    update owner_assignments o set overdue_noted_at = ${new Date(now)}
      from (select assignment_id from owner_assignments
             where tenant_id = ${tx.tenantId} and ${newlyOverdue(now)}
             order by attestation_due_at, assignment_id limit ${limit} for no key update skip locked) due
     where o.tenant_id = ${tx.tenantId} and o.assignment_id = due.assignment_id
    returning o.assignment_id as "assignmentId", o.domain_id as "domainId", o.principal_id as "principalId"`);

/** Domains that a person owns now. Delegates and stewards own none. */
export async function domainsOwnedBy(tx: Tx, principalId: string): Promise<DomainId[]> {
  const rows = await tx.query<{ domainId: DomainId }>(sql`
    select distinct domain_id as "domainId" from owner_assignments
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} and kind = 'owner' and ended_at is null
     order by 1`);
  return rows.map(({ domainId }) => domainId);
}
