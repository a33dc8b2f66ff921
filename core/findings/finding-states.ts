import type { Transition } from '../kernel/transition.ts';
import type { FindingStatus } from './next-status.ts';

export type FindingTrigger =
  | 'found'
  | 'gone'
  | 'returned'
  | 'worsened'
  | 'answered'
  | 'answer_ended'
  | 'acknowledge'
  | 'change_note'
  | 'take_back'
  | 'asset_deleted';

/**
 * The states of a finding. People acknowledge it, change the note of that, and take it back; all other triggers follow from stored facts about the asset
 * (`nextStatus` in next-status.ts). Only a fix of the cause resolves a finding, so an acknowledgement never hides
 * one.
 * - `answered`: the finding holds in spite of an owner's new answer.
 * - `answer_ended`: that answer was revised, or its content has changed.
 */
export const FINDING_TRANSITIONS: readonly Transition<FindingStatus, FindingTrigger>[] = [
  { from: null, trigger: 'found', to: 'open' },
  { from: null, trigger: 'answered', to: 'acknowledged' },
  { from: 'open', trigger: 'answered', to: 'acknowledged' },
  { from: 'open', trigger: 'acknowledge', to: 'acknowledged' },
  { from: 'open', trigger: 'gone', to: 'resolved' },
  { from: 'open', trigger: 'asset_deleted', to: 'resolved' },
  { from: 'acknowledged', trigger: 'worsened', to: 'reopened' },
  { from: 'acknowledged', trigger: 'answer_ended', to: 'reopened' },
  { from: 'acknowledged', trigger: 'change_note', to: 'acknowledged' },
  { from: 'acknowledged', trigger: 'take_back', to: 'reopened' },
  { from: 'acknowledged', trigger: 'gone', to: 'resolved' },
  { from: 'acknowledged', trigger: 'asset_deleted', to: 'resolved' },
  { from: 'reopened', trigger: 'acknowledge', to: 'acknowledged' },
  { from: 'reopened', trigger: 'answered', to: 'acknowledged' },
  { from: 'reopened', trigger: 'gone', to: 'resolved' },
  { from: 'reopened', trigger: 'asset_deleted', to: 'resolved' },
  { from: 'resolved', trigger: 'returned', to: 'reopened' },
  { from: 'resolved', trigger: 'answered', to: 'acknowledged' },
];
