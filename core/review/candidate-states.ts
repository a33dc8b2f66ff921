import { z } from 'zod';
import type { Transition } from '../kernel/transition.ts';

export const CandidateStatusSchema = z.enum([
  'pending',
  'deferred',
  'confirmed',
  'rejected',
  'routed',
  'withdrawn',
]);
export type CandidateStatus = z.infer<typeof CandidateStatusSchema>;

export type CandidateTrigger =
  | 'inferred'
  | 'no_longer_inferred'
  | 'represents'
  | 'decided_otherwise'
  | 'routed_here'
  | 'returned'
  | 'return_revised'
  | 'confirmed_by_correction'
  | 'correction_revised'
  | 'content_changed'
  | 'taken_back'
  | 'confirm'
  | 'reject'
  | 'route'
  | 'defer';

/**
 * The states of a question to an owner. Owners confirm, reject, route and defer, and may revise an answer for some
 * time (`refusal` in decision.ts). The other triggers follow from the model or from the owners of other candidates of
 * the asset:
 * - `returned`: the answer sent the asset to another domain, or named its type, and that domain refused it.
 * - `return_revised`: that domain has revised its refusal.
 * - `correction_revised`: the owner of another candidate has revised the correction that answered this one.
 * - `taken_back`: the sender no longer asks the question.
 * - `represents`: nobody has been asked about several assets like this one.
 * - `decided_otherwise`: somebody is asked about the asset of a representative or about one like it, or has answered.
 * - `content_changed`: the asset no longer has the content that the answer was given on (`materialChanges` in
 *   material-change.ts).
 */
export const CANDIDATE_TRANSITIONS: readonly Transition<CandidateStatus, CandidateTrigger>[] = [
  { from: null, trigger: 'inferred', to: 'pending' },
  { from: null, trigger: 'represents', to: 'pending' },
  { from: null, trigger: 'routed_here', to: 'pending' },
  { from: null, trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'pending', trigger: 'confirm', to: 'confirmed' },
  { from: 'pending', trigger: 'reject', to: 'rejected' },
  { from: 'pending', trigger: 'route', to: 'routed' },
  { from: 'pending', trigger: 'defer', to: 'deferred' },
  { from: 'pending', trigger: 'inferred', to: 'pending' },
  { from: 'pending', trigger: 'no_longer_inferred', to: 'withdrawn' },
  { from: 'pending', trigger: 'decided_otherwise', to: 'withdrawn' },
  { from: 'pending', trigger: 'return_revised', to: 'routed' },
  { from: 'pending', trigger: 'return_revised', to: 'confirmed' },
  { from: 'pending', trigger: 'taken_back', to: 'withdrawn' },
  { from: 'pending', trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'deferred', trigger: 'confirm', to: 'confirmed' },
  { from: 'deferred', trigger: 'reject', to: 'rejected' },
  { from: 'deferred', trigger: 'route', to: 'routed' },
  { from: 'deferred', trigger: 'defer', to: 'deferred' },
  { from: 'deferred', trigger: 'inferred', to: 'pending' },
  { from: 'deferred', trigger: 'routed_here', to: 'pending' },
  { from: 'deferred', trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'confirmed', trigger: 'confirm', to: 'confirmed' },
  { from: 'confirmed', trigger: 'reject', to: 'rejected' },
  { from: 'confirmed', trigger: 'route', to: 'routed' },
  { from: 'confirmed', trigger: 'defer', to: 'deferred' },
  { from: 'confirmed', trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'confirmed', trigger: 'returned', to: 'pending' },
  { from: 'confirmed', trigger: 'content_changed', to: 'pending' },
  { from: 'confirmed', trigger: 'content_changed', to: 'withdrawn' },
  { from: 'confirmed', trigger: 'correction_revised', to: 'confirmed' },
  { from: 'confirmed', trigger: 'correction_revised', to: 'pending' },
  { from: 'confirmed', trigger: 'correction_revised', to: 'withdrawn' },
  { from: 'rejected', trigger: 'confirm', to: 'confirmed' },
  { from: 'rejected', trigger: 'reject', to: 'rejected' },
  { from: 'rejected', trigger: 'route', to: 'routed' },
  { from: 'rejected', trigger: 'defer', to: 'deferred' },
  { from: 'rejected', trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'rejected', trigger: 'content_changed', to: 'pending' },
  { from: 'rejected', trigger: 'content_changed', to: 'withdrawn' },
  { from: 'routed', trigger: 'confirm', to: 'confirmed' },
  { from: 'routed', trigger: 'reject', to: 'rejected' },
  { from: 'routed', trigger: 'route', to: 'routed' },
  { from: 'routed', trigger: 'defer', to: 'deferred' },
  { from: 'routed', trigger: 'content_changed', to: 'pending' },
  { from: 'routed', trigger: 'returned', to: 'pending' },
  { from: 'routed', trigger: 'routed_here', to: 'pending' },
  { from: 'routed', trigger: 'confirmed_by_correction', to: 'confirmed' },
  { from: 'withdrawn', trigger: 'inferred', to: 'pending' },
  { from: 'withdrawn', trigger: 'represents', to: 'pending' },
  { from: 'withdrawn', trigger: 'routed_here', to: 'pending' },
  { from: 'withdrawn', trigger: 'confirmed_by_correction', to: 'confirmed' },
];
