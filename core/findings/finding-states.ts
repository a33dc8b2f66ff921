import type { Transition } from '../kernel/transition.ts';
import type { FindingStatus } from './next-standing.ts';

export type FindingTrigger =
  | 'found'
  | 'gone'
  | 'returned'
  | 'worsened'
  | 'answered'
  | 'answer_ended'
  | 'acknowledge'
  | 'asset_deleted';

/**
 * Something to be mended on an asset. People acknowledge; the rest follows from what is stored of the asset
 * (`nextStanding` in next-standing.ts). Only mending resolves a finding, so an acknowledgement never hides one. `answered`
 * is an owner's answer in spite of which it holds, `answer_ended` one that was revised or whose content has changed.
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
  { from: 'acknowledged', trigger: 'gone', to: 'resolved' },
  { from: 'acknowledged', trigger: 'asset_deleted', to: 'resolved' },
  { from: 'reopened', trigger: 'acknowledge', to: 'acknowledged' },
  { from: 'reopened', trigger: 'answered', to: 'acknowledged' },
  { from: 'reopened', trigger: 'gone', to: 'resolved' },
  { from: 'reopened', trigger: 'asset_deleted', to: 'resolved' },
  { from: 'resolved', trigger: 'returned', to: 'reopened' },
  { from: 'resolved', trigger: 'answered', to: 'acknowledged' },
];
