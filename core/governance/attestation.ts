import { z } from 'zod';

const DAY_MS = 24 * 3_600_000;
/** An attestation becomes due this long before its date, or in the second half of a shorter period. */
const DUE_WITHIN_DAYS = 14;

const ATTESTATION_STATES = ['not_required', 'current', 'due', 'overdue'] as const;
export type AttestationState = (typeof ATTESTATION_STATES)[number];

/**
 * Whether an owner has recently confirmed that they still own the domain. `dueAt` is null if no attestation is
 * required.
 */
export const AttestationSchema = z.object({
  state: z.enum(ATTESTATION_STATES),
  dueAt: z.iso.datetime().nullable(),
  attestedAt: z.iso.datetime().nullable(),
});
export type Attestation = z.infer<typeof AttestationSchema>;

/** The stored columns of an assignment. `dueAt` is null if and only if `attestationDays` is. */
export type StoredAttestation = {
  attestationDays: number | null;
  dueAt: Date | null;
  attestedAt: Date | null;
};

/** The attestation as of `now` (milliseconds). */
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
