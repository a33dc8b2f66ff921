import type { Transition } from '../kernel/transition.ts';

export type TaxonomyStatus = 'draft' | 'approved';

/** The states of domains and information types. Only a person approves a draft. An approval is final. */
export const TAXONOMY_TRANSITIONS: readonly Transition<
  TaxonomyStatus,
  'generate' | 'draft' | 'edit' | 'approve'
>[] = [
  { from: null, trigger: 'generate', to: 'draft' },
  { from: null, trigger: 'draft', to: 'draft' },
  { from: 'draft', trigger: 'edit', to: 'draft' },
  { from: 'draft', trigger: 'approve', to: 'approved' },
  { from: 'approved', trigger: 'edit', to: 'approved' },
];

export type MappingStatus = 'draft' | 'approved' | 'rejected';

/** The states of a regulatory mapping. */
export const MAPPING_TRANSITIONS: readonly Transition<
  MappingStatus,
  'generate' | 'draft' | 'approve' | 'reject'
>[] = [
  { from: null, trigger: 'generate', to: 'draft' },
  { from: null, trigger: 'draft', to: 'draft' },
  { from: 'draft', trigger: 'approve', to: 'approved' },
  { from: 'draft', trigger: 'reject', to: 'rejected' },
  { from: 'approved', trigger: 'reject', to: 'rejected' },
];
