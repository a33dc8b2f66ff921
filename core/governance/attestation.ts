import { z } from 'zod';

const DAY_MS = 24 * 3_600_000;
/** An attestation is asked for this long before it is due; of a short period, in its second half. */
const DUE_WITHIN_DAYS = 14;

const ATTESTATION_STATES = ['not_required', 'current', 'due', 'overdue'] as const;
export type AttestationState = (typeof ATTESTATION_STATES)[number];

/** Whether an owner has said lately that they still own the domain. `dueAt` is null where nobody asks. */
export const AttestationSchema = z.object({
  state: z.enum(ATTESTATION_STATES),
  dueAt: z.iso.datetime().nullable(),
  attestedAt: z.iso.datetime().nullable(),
});
export type Attestation = z.infer<typeof AttestationSchema>;

/** What an assignment has stored of it. `dueAt` is null exactly where `attestationDays` is. */
export type StoredAttestation = {
  attestationDays: number | null;
  dueAt: Date | null;
  attestedAt: Date | null;
};

/** How an attestation stands at `now` (milliseconds). */
export function attestationAt(
  { attestationDays, dueAt, attestedAt }: StoredAttestation,
  now: number,
): Attestation {
  return {
    state: attestationDays === null || dueAt === null ? 'not_required' : stateOf(dueAt, attestationDays, now),
    dueAt: dueAt?.toISOString() ?? null,
    attestedAt: attestedAt?.toISOString() ?? null,
  };
}

function stateOf(dueAt: Date, attestationDays: number, now: number): AttestationState {
  const left = dueAt.getTime() - now;
  if (left <= 0) return 'overdue';
  return left <= Math.min(DUE_WITHIN_DAYS, attestationDays / 2) * DAY_MS ? 'due' : 'current';
}
