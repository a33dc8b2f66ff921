import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  actionsCancel,
  actionsDecide,
  actionsRepreview,
  actionsSubmit,
  actionsWithdraw,
  getActionsGetQueryKey,
} from '../../client/generated/actions/actions.ts';
import type { ActionDetail, ActionStatus, ActionTrigger } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { ActButton, Button } from '../design/button.tsx';
import { readAgain } from '../shell/query-client.ts';
import { type Me, useMe } from '../shell/session.ts';
import { NotDone } from './not-done.tsx';
import { reasonInWords } from './words.ts';

const AUTHORING: readonly ActionTrigger[] = ['drafted', 'blocked', 'submitted', 'repreviewed'];
const PREVIEWABLE: readonly ActionStatus[] = ['draft', 'blocked', 'drifted', 'failed'];
const WITHDRAWABLE: readonly ActionStatus[] = [...PREVIEWABLE, 'awaiting_approval'];
const CANCELLABLE: readonly ActionStatus[] = [...WITHDRAWABLE, 'approved'];

/** What the caller may do with an action now. The service decides in any case. */
type Rights = {
  submits: boolean;
  decides: boolean;
  previews: boolean;
  withdraws: boolean;
  cancels: boolean;
  isAuthor: boolean;
};

function rightsOf(action: ActionDetail, { principalId, capabilities }: Me): Rights {
  const { status, preview, history, requester } = action;
  const isAuthor = history.some(
    (each) => each.principalId === principalId && AUTHORING.includes(each.trigger),
  );
  const drafts = capabilities.includes('action.draft');
  const isSubmittable = status === 'draft' && preview.changes && !preview.preventedBy;
  const withdraws = drafts && requester.principalId === principalId && WITHDRAWABLE.includes(status);
  return {
    submits: capabilities.includes('action.submit') && isSubmittable,
    decides: capabilities.includes('action.approve') && status === 'awaiting_approval' && !isAuthor,
    previews: drafts && PREVIEWABLE.includes(status),
    withdraws,
    cancels: capabilities.includes('action.cancel') && CANCELLABLE.includes(status) && !withdraws,
    isAuthor,
  };
}

/** Who may do the next step, in words, and the steps that the caller may do. */
export function NextStep({ action }: { action: ActionDetail }) {
  const rights = rightsOf(action, useMe());
  const client = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const [isRejecting, setRejecting] = useState(false);
  const act = useMutation({
    mutationFn: (step: () => Promise<ActionDetail>) => step(),
    onSuccess: (answer) => {
      client.setQueryData(getActionsGetQueryKey(answer.actionId), answer);
    },
    onSettled: async (_, error) => {
      // What was typed is kept, unless it is done, or is about another state.
      if (error !== null && !isRefusal(error, 'conflict')) return;
      setRejecting(false);
      // The button is gone.
      heading.current?.focus();
      await readAgain();
    },
  });
  const { actionId: id, revision } = action;
  const isBusy = act.isPending;
  const decide = (decision: 'approve' | 'reject', reason: string) =>
    act.mutate(() => actionsDecide(id, { decision, reason, revision }));
  return (
    <section className="card stack" aria-label="Next step">
      <h2 ref={heading} tabIndex={-1}>
        Next step
      </h2>
      <p role="status">{nextInWords(action, rights)}</p>
      {isRejecting && rights.decides ? (
        <Rejection
          isBusy={isBusy}
          onReject={(reason) => decide('reject', reason)}
          onCancel={() => setRejecting(false)}
        />
      ) : (
        <div className="row">
          {rights.submits && (
            <ActButton kind="primary" isBusy={isBusy} onAct={() => act.mutate(() => actionsSubmit(id))}>
              Submit
            </ActButton>
          )}
          {rights.decides && (
            <>
              <ActButton kind="primary" isBusy={isBusy} onAct={() => decide('approve', '')}>
                Approve
              </ActButton>
              <Button disabled={isBusy} onClick={() => setRejecting(true)}>
                Reject
              </Button>
            </>
          )}
          {rights.previews && (
            <ActButton isBusy={isBusy} onAct={() => act.mutate(() => actionsRepreview(id))}>
              Preview again
            </ActButton>
          )}
          {rights.withdraws && (
            <ActButton isBusy={isBusy} onAct={() => act.mutate(() => actionsWithdraw(id))}>
              Withdraw
            </ActButton>
          )}
          {rights.cancels && (
            <ActButton isBusy={isBusy} onAct={() => act.mutate(() => actionsCancel(id))}>
              Cancel the action
            </ActButton>
          )}
        </div>
      )}
      {act.isError && <NotDone error={act.error} />}
    </section>
  );
}

function Rejection({
  isBusy,
  onReject,
  onCancel,
}: {
  isBusy: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}) {
  const [reason, setReason] = useState('');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
    >
      <div className="field">
        <label htmlFor="rejection">Why not, for the person who requested it</label>
        <textarea
          id="rejection"
          className="input"
          required
          maxLength={2_000}
          value={reason}
          // biome-ignore lint/a11y/noAutofocus: the field was just asked for
          autoFocus
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy || reason.trim() === ''}>
          Reject
        </Button>
        <Button kind="plain" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}

function nextInWords(action: ActionDetail, rights: Rights): string {
  const { status, preview, blockedReason, outcomeReason } = action;
  const reason = outcomeReason === null ? '' : `${reasonInWords(outcomeReason)} `;
  switch (status) {
    case 'draft':
      return ofDraft(preview, rights);
    case 'blocked':
      return `${blockedReason === null ? 'It is blocked.' : reasonInWords(blockedReason)} An owner can preview it again when the cause is gone.`;
    case 'awaiting_approval':
      if (rights.decides) return 'You approve or reject it. Approved, it is carried out at once.';
      return rights.isAuthor
        ? 'Another person decides, because you took part in the request.'
        : 'An approver decides who took no part in the request.';
    case 'approved':
      return `${reason}The service carries it out in a moment.`;
    case 'executing':
      return `${reason}The service carries it out.`;
    case 'failed':
    case 'drifted':
      return `${reason}An owner previews it again. Then it needs a new approval.`;
    case 'verified':
      return 'Nothing is left to do here: it is carried out, and the result is checked.';
    case 'rejected':
      return 'Nothing is left to do here: it was rejected. A new draft can be made from the finding.';
    case 'cancelled':
      return 'Nothing is left to do here: it was cancelled.';
  }
}

function ofDraft({ changes, preventedBy }: ActionDetail['preview'], { submits }: Rights): string {
  if (!changes) return 'It would change nothing. Withdraw it, or preview it again if the asset has changed.';
  if (preventedBy) return `${reasonInWords(preventedBy)} Remove the cause, then preview it again.`;
  return submits
    ? 'You submit it. Then another person approves or rejects it.'
    : 'An owner of its domain submits it. Then another person approves or rejects it.';
}
