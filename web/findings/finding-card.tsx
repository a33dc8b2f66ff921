import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useActionsCreate } from '../../client/generated/actions/actions.ts';
import { useFindingsAcknowledge, useFindingsTakeBack } from '../../client/generated/findings/findings.ts';
import type { ActionStatus, FindingWithRemedy } from '../../client/generated/service.schemas.ts';
import { STATUS_NAMES } from '../actions/words.ts';
import { ActButton, Button } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Severity } from '../design/severity.tsx';
import { Time } from '../design/time.tsx';
import { useMe } from '../shell/session.ts';

export const FINDING_KINDS: Readonly<Record<FindingWithRemedy['kind'], string>> = {
  exposure: 'Too many can open it',
  label: 'Its label does not fit',
  location: 'It is in the wrong place',
  unmanaged_copy: 'A copy outside the managed places',
  stale_access: 'Access that is not used',
  no_owner: 'Its domain has no owner',
};

const STATUSES: Readonly<Record<FindingWithRemedy['status'], string | null>> = {
  open: null,
  acknowledged: 'acknowledged',
  reopened: 'open again',
  resolved: 'resolved',
};

/** Nothing more comes of such an action, so that another one can be drafted. */
const OVER: readonly ActionStatus[] = ['verified', 'rejected', 'cancelled'];

/** A finding: what it is, what to do, and the acts on it, in place. */
export function FindingCard({ finding }: { finding: FindingWithRemedy }) {
  const { kind, severity, status, notes, toDo, since, dueAt, requiredLabel, expectedPlaces } = finding;
  const word = STATUSES[status];
  return (
    <article className="finding stack">
      <div className="row">
        <Severity level={severity} />
        <h3 className="finding-kind">{FINDING_KINDS[kind]}</h3>
        {word !== null && <Chip tone={status === 'acknowledged' ? 'dashed' : 'note'}>{word}</Chip>}
        <span className="dim">
          since <Time at={since} />
          {dueAt !== null && (
            <>
              , due <Time at={dueAt} />
            </>
          )}
        </span>
      </div>
      <p>{notes}</p>
      {toDo !== null && (
        <p>
          <span className="strong">What to do:</span> {toDo}
        </p>
      )}
      {requiredLabel !== null && <p className="dim">The label that fits: {requiredLabel.labelName}</p>}
      {expectedPlaces.length > 0 && (
        <p className="dim">Places for it: {expectedPlaces.map((place) => place.scopeName).join(', ')}</p>
      )}
      {finding.acknowledgeNote !== null && <blockquote dir="auto">{finding.acknowledgeNote}</blockquote>}
      <Acts finding={finding} />
    </article>
  );
}

function Acts({ finding }: { finding: FindingWithRemedy }) {
  const { capabilities } = useMe();
  const client = useQueryClient();
  const [isNoting, setNoting] = useState(false);
  const [note, setNote] = useState('');
  const refresh = {
    mutation: {
      onSuccess: () => {
        setNoting(false);
        // What was read with a record is not read again.
        return client.invalidateQueries({ predicate: ({ meta }) => meta?.isRecorded !== true });
      },
    },
  };
  const acknowledge = useFindingsAcknowledge(refresh);
  const takeBack = useFindingsTakeBack(refresh);
  const draft = useActionsCreate(refresh);
  const { findingId: id, status, revision, proposedAction, latestAction } = finding;
  // What was just drafted is known before the list is read again.
  const isRead = draft.data === undefined || draft.data.actionId === latestAction?.actionId;
  const action = isRead ? latestAction : draft.data;
  const isOpen = status !== 'resolved';
  const mayAcknowledge = capabilities.includes('finding.acknowledge') && isOpen;
  const mayDraft = capabilities.includes('action.draft') && isOpen;
  const error = acknowledge.error ?? takeBack.error ?? draft.error;
  return (
    <>
      {action !== null && <OwnAction action={action} />}
      <div className="row">
        {proposedAction !== null && mayDraft && (action === null || OVER.includes(action.status)) && (
          <ActButton isBusy={draft.isPending} onAct={() => draft.mutate({ data: proposedAction })}>
            {proposedAction.kind === 'internal_task' ? 'Draft a task' : 'Draft the change of the label'}
          </ActButton>
        )}
        {mayAcknowledge && status !== 'acknowledged' && !isNoting && (
          <Button onClick={() => setNoting(true)}>Acknowledge</Button>
        )}
        {mayAcknowledge && status === 'acknowledged' && (
          <ActButton isBusy={takeBack.isPending} onAct={() => takeBack.mutate({ id, data: { revision } })}>
            Take the acknowledgement back
          </ActButton>
        )}
      </div>
      {isNoting && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            acknowledge.mutate({ id, data: { note: note.trim() === '' ? null : note.trim(), revision } });
          }}
        >
          <div className="field">
            <label htmlFor={`note-${id}`}>Why it may stay so, for those who read it later</label>
            <textarea
              id={`note-${id}`}
              className="input"
              value={note}
              // biome-ignore lint/a11y/noAutofocus: the field was just asked for
              autoFocus
              onChange={({ target }) => setNote(target.value)}
            />
          </div>
          <div className="row">
            <Button kind="primary" type="submit" disabled={acknowledge.isPending}>
              Acknowledge
            </Button>
            <Button kind="plain" onClick={() => setNoting(false)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
      {error !== null && <Failure error={error} />}
    </>
  );
}

/** The newest action for a finding. Another person approves it. */
const OwnAction = ({
  action: { actionId, status },
}: {
  action: { actionId: string; status: ActionStatus };
}) => (
  <div className="row" role="status">
    <Link to="/actions/$actionId" params={{ actionId }}>
      {status === 'draft' ? 'Look at it and submit it' : 'See its action'}
    </Link>
    <Chip tone={OVER.includes(status) ? 'usual' : 'note'}>{STATUS_NAMES[status]}</Chip>
    {status === 'draft' && (
      <span className="dim">Nothing is changed before it is submitted and another person approves it.</span>
    )}
  </div>
);
