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

/** What says the same so soon after is the same statement: a second click, a retry. */
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

/** Null: the person is not asked any more. */
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
  disabled: 'This person is disabled and could not sign in. Choose somebody else.',
  without_role:
    'This person does not hold the role domain_owner. Have it given where the service is deployed, which alone gives ' +
    'roles, then assign again.',
} as const;

/**
 * Makes a person an owner, delegate or steward of a domain, be it approved or a draft: a domain may have its owner
 * before it is approved. Throws `validation_failed`, and `conflict` where the person is that already.
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
      `This person is ${request.kind} of the domain already. PATCH /api/governance/owners/{id} changes the period.`,
    );
  audited(by, 'owner_assigned', assignmentId, assignment);
  return { assignmentId };
}

/**
 * Records that the caller still owns the domain, and counts the period anew. Said again within a minute it changes
 * nothing. Throws `not_found`, also for an assignment of somebody else and one that has ended.
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
 * Changes how often the owner is asked whether the domain is still theirs. The date is counted by the new period at once,
 * from when they last said so, or were assigned. The same period again changes nothing. Throws `not_found`, also for an
 * assignment that has ended.
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
 * Ends an assignment; the person's next request has its scope no more. Ending it again gives the same answer. The last
 * owner may go too: people leave, and a domain without one is listed as such. Throws `not_found`.
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
