import {
  type Action,
  ActionKind,
  ActionStatus,
  ActionTrigger,
  type LabelWriteBlock,
  type OutcomeReason,
  TaskStatus,
} from '../../client/generated/service.schemas.ts';

export const STATUS_NAMES: Readonly<Record<ActionStatus, string>> = {
  [ActionStatus.draft]: 'Draft',
  [ActionStatus.blocked]: 'Blocked',
  [ActionStatus.awaiting_approval]: 'Waits for approval',
  [ActionStatus.approved]: 'Approved',
  [ActionStatus.executing]: 'Being carried out',
  [ActionStatus.verified]: 'Done',
  [ActionStatus.failed]: 'Failed',
  [ActionStatus.drifted]: 'Asset has changed',
  [ActionStatus.rejected]: 'Rejected',
  [ActionStatus.cancelled]: 'Cancelled',
};

export const KIND_NAMES: Readonly<Record<ActionKind, string>> = {
  [ActionKind.internal_task]: 'Task',
  [ActionKind.sensitivity_label_set]: 'Set a label',
  [ActionKind.sensitivity_label_remove]: 'Remove a label',
};

export const TASK_STATUS_NAMES: Readonly<Record<TaskStatus, string>> = {
  [TaskStatus.open]: 'Open',
  [TaskStatus.in_progress]: 'In progress',
  [TaskStatus.done]: 'Done',
  [TaskStatus.cancelled]: 'Dropped',
};

/** What happened, as the history says it. */
export const TRIGGER_NAMES: Readonly<Record<ActionTrigger, string>> = {
  [ActionTrigger.drafted]: 'drafted it',
  [ActionTrigger.blocked]: 'previewed it: it is blocked',
  [ActionTrigger.repreviewed]: 'previewed it again',
  [ActionTrigger.submitted]: 'submitted it for approval',
  [ActionTrigger.approved]: 'approved it',
  [ActionTrigger.rejected]: 'rejected it',
  [ActionTrigger.withdrawn]: 'withdrew it',
  [ActionTrigger.cancelled]: 'cancelled it',
  [ActionTrigger.claimed]: 'began to carry it out',
  [ActionTrigger.awaited]: 'waits for the source, which has accepted the write',
  [ActionTrigger.postponed]: 'will try it again',
  [ActionTrigger.verified]: 'carried it out and checked the result',
  [ActionTrigger.failed]: 'could not carry it out',
  [ActionTrigger.drifted]: 'changed nothing, because the asset has changed since the preview',
};

const REASONS: Readonly<Record<OutcomeReason, string>> = {
  version_changed: 'The asset has changed since the preview.',
  label_changed: 'The label has changed since the preview.',
  target_gone: 'The asset is not there any more.',
  write_path_gone: 'Labels cannot be written as they could at the preview.',
  source_refused: 'The source does not allow it.',
  source_throttled: 'The source asks to wait.',
  source_unavailable: 'The source does not answer.',
  source_writing: 'The source has accepted it and is still writing.',
  source_never_finished: 'The source accepted it, and had not written it after an hour.',
  metered_api_off: 'No Azure subscription pays for the write.',
  license_missing: 'The organisation has no licence for labels.',
  write_identity_refused: 'The identity that writes has no permission for this file.',
  file_checked_out: 'Somebody has checked the file out.',
  file_locked: 'The file is open for editing, or locked.',
  file_encrypted: 'The file is encrypted so that the source cannot open it.',
  file_in_decryption: 'The source is decrypting the file.',
  file_type_not_supported: 'Files of this type have no label.',
  label_needs_person: 'Only a person with rights to the file may change its label.',
  label_not_available: 'The source does not offer this label.',
  justification_needed: 'The source asks for a justification.',
  write_failed_at_source: 'The write failed at the source.',
  not_verified: 'After the write, the file is not as wanted.',
  attempts_spent: 'All attempts were interrupted.',
  requester_not_permitted: 'Who asked for it may not ask for it any more.',
  approver_not_permitted: 'Who approved it may not approve it any more.',
};

const BLOCKS: Readonly<Record<LabelWriteBlock, string>> = {
  source_has_no_labels: 'Files of this source have no labels.',
  label_write_not_live: 'Labels of this source cannot be written.',
  label_write_off: 'Writing of labels is turned off.',
  source_not_live: 'The source is not set up to be read live.',
  cloud_cannot_write_labels: 'Labels cannot be written in this cloud.',
  label_read_off: 'Reading of labels is turned off.',
  write_client_id_missing: 'The identity that writes is not set up.',
  write_client_secret_missing: 'The identity that writes has no secret.',
};

const ALL_REASONS: Readonly<Record<string, string>> = { ...REASONS, ...BLOCKS };

/** Why an action is blocked, cannot be carried out, or came out as it did. */
export const reasonInWords = (code: string): string => ALL_REASONS[code] ?? code;

/** What an action does, as its title. */
export function titleOf({ kind, taskTitle, preview: { desiredState } }: Action): string {
  if (kind === 'internal_task') return taskTitle ?? KIND_NAMES[kind];
  if (kind === 'sensitivity_label_remove') return 'Remove the label';
  const name = desiredState.kind === 'label' ? desiredState.labelName : null;
  return name === null ? 'Set another label' : `Set the label “${name}”`;
}
