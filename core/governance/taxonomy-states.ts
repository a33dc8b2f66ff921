import type { Transition } from '../kernel/transition.ts';

export type TaxonomyStatus = 'draft' | 'approved';

/** Of a domain and of an information type. Whoever drafts one, only a person approves it, and nothing takes that back. */
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

/** Of a regulation that is mapped to a domain. */
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
