import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Tx } from '../db/tx.ts';
import { type Issue, notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { type Attestation, AttestationSchema, attestationAt } from './attestation.ts';
import type { By } from './by.ts';
import {
  endActiveAssignment,
  insertAssignment,
  lockActiveAssignment,
  OWNER_KINDS,
  recordAttestation,
  setAttestationDays,
  whoAndWhat,
} from './owners.sql.ts';

/** An attestation that follows another one within this time is a repetition, such as a second click or a retry. */
const SAME_MOMENT_MS = 60_000;

export const OwnerKindSchema = z.enum(OWNER_KINDS);

const AttestationDays = z.int().min(1).max(730);

export const AssignmentRequestSchema = z.strictObject({
  principalId: z.string().min(1).max(64),
  domainId: z.string().min(1).max(64),
  kind: OwnerKindSchema.default('owner'),
  attestationDays: AttestationDays.optional(),
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
  domainId: z.string(),
  domainName: z.string(),
  kind: OwnerKindSchema,
  assignedAt: z.iso.datetime(),
  attestationDays: z.int().nullable(),
  attestation: AttestationSchema,
});

const IN_THE_WAY = {
  unknown: 'No such person.',
  disabled: 'This person is disabled and cannot sign in. Choose somebody else.',
  without_role:
    'This person does not hold the role domain_owner. Roles are assigned only where the service is deployed. Have the ' +
    'role assigned there, then try again.',
} as const;

/**
 * Makes a person an owner, delegate or steward of a domain. The domain may be a draft, so that it can have an owner
 * before it is approved. Throws `validation_failed`, and `conflict` if the person already has this assignment.
 */
export async function assignOwner(
  tx: Tx,
  by: By,
  request: AssignmentRequest,
): Promise<{ assignmentId: string }> {
  const { person, domainExists } = await whoAndWhat(tx, request);
  const issues: Issue[] = [
    ...(person === 'eligible' ? [] : [{ path: 'principalId', message: IN_THE_WAY[person] }]),
    ...(domainExists ? [] : [{ path: 'domainId', message: 'No such domain.' }]),
  ];
  if (issues.length > 0) throw validationFailed(issues);
  const assignment = { ...request, attestationDays: request.attestationDays ?? null };
  const assignmentId = await insertAssignment(tx, assignment, by.now);
  if (assignmentId === null)
    throw new ServiceError(
      'conflict',
      `This person is already ${request.kind} of the domain. PATCH /api/governance/owners/{id} changes the period.`,
    );
  audited(by, 'owner_assigned', assignmentId, assignment);
  return { assignmentId };
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
