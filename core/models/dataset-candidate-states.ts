import type { Transition } from '../kernel/transition.ts';

export const DATASET_CANDIDATE_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type DatasetCandidateStatus = (typeof DATASET_CANDIDATE_STATUSES)[number];

export const CURATIONS = ['approved', 'rejected'] as const satisfies DatasetCandidateStatus[];
export type Curation = (typeof CURATIONS)[number];

/** The states of a dataset candidate (specification, *Dataset candidate*). A decision of an owner creates it. */
export const DATASET_CANDIDATE_TRANSITIONS: readonly Transition<
  DatasetCandidateStatus,
  'decided_by_owner' | Curation
>[] = [
  { from: null, trigger: 'decided_by_owner', to: 'pending' },
  { from: 'pending', trigger: 'approved', to: 'approved' },
  { from: 'pending', trigger: 'rejected', to: 'rejected' },
];

/** The status after a curation, or null if the curation is not allowed. */
export const nextCurationState = (
  from: DatasetCandidateStatus,
  curation: Curation,
): DatasetCandidateStatus | null =>
  DATASET_CANDIDATE_TRANSITIONS.find((row) => row.from === from && row.trigger === curation)?.to ?? null;
