import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import { grantRoles } from '../auth/grants.sql.ts';
import type { DirectoryPerson } from '../connectors/directory.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { type Issue, notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { askDirectory, type DirectoryParts } from '../people/ask-directory.ts';
import { registerPerson } from '../people/register-person.ts';
import { type Attestation, AttestationSchema, attestationAt } from './attestation.ts';
import type { By } from './by.ts';
import {
  type Assignee,
  type AssigneeKey,
  domainExists,
  endActiveAssignment,
  findAssignee,
  insertAssignment,
  lockActiveAssignment,
  OWNER_KINDS,
  recordAttestation,
  setAttestationDays,
} from './owners.sql.ts';

/** An attestation that follows another one within this time is a repetition, such as a second click or a retry. */
const SAME_MOMENT_MS = 60_000;

export const OwnerKindSchema = z.enum(OWNER_KINDS);

const AttestationDays = z.int().min(1).max(730);

/** The longest id of a directory that a sign-in may name. */
const MAX_DIRECTORY_ID = 255;
const LOOK_UP_WITHIN_MS = 10_000;

/** With a `directoryId`, somebody of the directory, known to the service or not. */
export const AssignmentRequestSchema = z
  .strictObject({
    principalId: z.string().min(1).max(64).optional(),
    directoryId: z.string().min(1).max(MAX_DIRECTORY_ID).optional(),
    domainId: z.string().min(1).max(64),
    kind: OwnerKindSchema.default('owner'),
    attestationDays: AttestationDays.optional(),
  })
  .refine(({ principalId, directoryId }) => (principalId === undefined) !== (directoryId === undefined), {
    path: ['principalId'],
    message: 'Name the person by principalId or by directoryId: one of the two.',
  });
export type AssignmentRequest = z.infer<typeof AssignmentRequestSchema>;

/** Null ends the attestations. */
export const AssignmentChangeSchema = z.strictObject({ attestationDays: AttestationDays.nullable() });

export const OwnerSchema = z.object({
  assignmentId: z.string(),
  principalId: z.string(),
  displayName: z.string(),
  title: z.string(),
  department: z.string(),
  principalStatus: z.enum(['active', 'disabled']),
  isOrphaned: z.boolean(),
  domainId: z.string(),
  domainName: z.string(),
  kind: OwnerKindSchema,
  assignedAt: z.iso.datetime(),
  attestationDays: z.int().nullable(),
  attestation: AttestationSchema,
});

const IN_THE_WAY = {
  unknown: 'No such person.',
  disabled: 'This person is disabled and could not sign in. Choose somebody else.',
  service: 'This is a service principal. Only a person can own a domain.',
  oneself:
    'You do not hold the role domain_owner, and nobody gives a role to themself. Another governance admin has to ' +
    'assign you.',
} as const;

/** What stands in the way of a person's assignment; null where nothing does. */
function obstacle(
  known: Assignee | null,
  inDirectory: DirectoryPerson | null,
  { principal }: By,
): keyof typeof IN_THE_WAY | null {
  if (known === null) return inDirectory === null ? 'unknown' : null;
  if (known.status === 'disabled') return 'disabled';
  if (known.kind === 'service') return 'service';
  return known.principalId === principal.principalId && !known.holdsRole ? 'oneself' : null;
}

const keyOf = ({ principalId = '', directoryId }: AssignmentRequest): AssigneeKey =>
  directoryId === undefined ? { principalId } : { directoryId };

/**
 * Whom the directory has of the `directoryId` of a request, asked outside of any transaction; null where it has nobody,
 * or where it need not be asked. Throws `blocked_capability`.
 */
export async function lookUpAssignee(
  parts: DirectoryParts & { db: Db },
  tenantId: TenantId,
  { directoryId }: AssignmentRequest,
): Promise<DirectoryPerson | null> {
  if (directoryId === undefined) return null;
  const known = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) => findAssignee(tx, { directoryId }));
  if (known !== null) return null;
  const found = await askDirectory(parts, LOOK_UP_WITHIN_MS, (directory, signal) =>
    directory.person(directoryId, signal),
  );
  // A directory that also takes other names, such as an e-mail address, would find somebody who is known.
  return found?.directoryId === directoryId ? found : null;
}

/**
 * Makes a person an owner, delegate or steward of a domain, be it approved or a draft: a domain may have its owner
 * before it is approved. Who is not known is registered as `inDirectory` has them, and who lacks the role is given it.
 * Throws `validation_failed`, and `conflict` where the person is that already.
 */
export async function assignOwner(
  tx: Tx,
  by: By,
  request: AssignmentRequest,
  inDirectory: DirectoryPerson | null,
): Promise<{ assignmentId: string; principalId: string }> {
  const { domainId, kind, attestationDays = null } = request;
  const [known, hasDomain] = await Promise.all([
    findAssignee(tx, keyOf(request)),
    domainExists(tx, domainId),
  ]);
  const person = known ?? inDirectory;
  const inTheWay = obstacle(known, inDirectory, by);
  const path = request.directoryId === undefined ? 'principalId' : 'directoryId';
  const issues: Issue[] = [
    ...(inTheWay === null ? [] : [{ path, message: IN_THE_WAY[inTheWay] }]),
    ...(hasDomain ? [] : [{ path: 'domainId', message: 'No such domain.' }]),
  ];
  if (person === null || issues.length > 0) throw validationFailed(issues);
  const principalId = 'principalId' in person ? person.principalId : await registerPerson(tx, by, person);
  if (known?.holdsRole !== true) {
    const grant = { principalId, roles: ['domain_owner'] as const, grantedBy: by.principal.principalId };
    await grantRoles(tx, grant, by.audit, by.now);
  }
  const assignment = { principalId, domainId, kind, attestationDays };
  const assignmentId = await insertAssignment(tx, assignment, by.now);
  if (assignmentId === null)
    throw new ServiceError(
      'conflict',
      `This person is already ${kind} of the domain. PATCH /api/governance/owners/{id} changes the period.`,
    );
  audited(by, 'owner_assigned', assignmentId, assignment);
  return { assignmentId, principalId };
}

/**
 * Records that the caller still owns the domain, and restarts the period. A repetition within a minute changes
 * nothing. Throws `not_found`, also for an assignment of another person and one that has ended.
 */
export async function attestOwnership(
  tx: Tx,
  by: By,
  assignmentId: string,
): Promise<{ assignmentId: string; attestation: Attestation }> {
  const assignment = await lockActiveAssignment(tx, assignmentId);
  if (assignment?.principalId !== by.principal.principalId) throw notFound();
  const attestedAt = assignment.attestedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (by.now - attestedAt < SAME_MOMENT_MS)
    return { assignmentId, attestation: attestationAt(assignment, by.now) };
  const attested = await recordAttestation(tx, assignmentId, by.now);
  audited(by, 'owner_attested', assignmentId, {});
  return { assignmentId, attestation: attestationAt(attested, by.now) };
}

/**
 * Changes the period of attestation. The due date is counted with the new period from the last attestation, or from
 * the assignment. The same period changes nothing. Throws `not_found`, also for an assignment that has ended.
 */
export async function changeAttestationDays(
  tx: Tx,
  by: By,
  assignmentId: string,
  attestationDays: number | null,
): Promise<{ assignmentId: string; attestationDays: number | null; attestation: Attestation }> {
  const assignment = await lockActiveAssignment(tx, assignmentId);
  if (assignment === null) throw notFound();
  const { principalId, domainId, attestationDays: from } = assignment;
  const isNew = from !== attestationDays;
  const changed = isNew ? await setAttestationDays(tx, assignmentId, attestationDays) : assignment;
  if (isNew)
    audited(by, 'owner_attestation_changed', assignmentId, {
      principalId,
      domainId,
      from,
      to: attestationDays,
    });
  return { assignmentId, attestationDays, attestation: attestationAt(changed, by.now) };
}

/**
 * Ends an assignment. It gives no access from the next request of the person on. A repeated call gives the same answer. The
 * last owner can be removed too, because people leave; the list of domains shows that the domain has no owner. Throws
 * `not_found`.
 */
export async function endAssignment(
  tx: Tx,
  by: By,
  assignmentId: string,
): Promise<{ assignmentId: string; endedAt: string }> {
  const assignment = await endActiveAssignment(tx, assignmentId, by.now);
  if (assignment === null) throw notFound();
  const { ended, endedAt, principalId, domainId } = assignment;
  if (ended) audited(by, 'owner_assignment_ended', assignmentId, { principalId, domainId });
  return { assignmentId, endedAt: endedAt.toISOString() };
}

const audited = ({ audit }: By, type: string, id: string, details: NonNullable<AuditEntry['details']>) =>
  audit({ category: 'governance', type, target: { kind: 'owner_assignment', id }, details });
