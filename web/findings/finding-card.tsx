import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { actionsCreate } from '../../client/generated/actions/actions.ts';
import { findingsAcknowledge, findingsTakeBack } from '../../client/generated/findings/findings.ts';
import type { Action, ActionStatus, FindingWithRemedy } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { NotDone } from '../actions/not-done.tsx';
import { STATUS_NAMES } from '../actions/words.ts';
import { ActButton, Button } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { Severity } from '../design/severity.tsx';
import { Time } from '../design/time.tsx';
import { readAgain } from '../shell/query-client.ts';
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

/** As the service takes it. */
const MAX_NOTE = 2_000;

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
  const { principalId, capabilities } = useMe();
  const [isNoting, setNoting] = useState(false);
  const [drafted, setDrafted] = useState<Action | null>(null);
  const act = useMutation({
    mutationFn: (step: () => Promise<unknown>) => step(),
    onSuccess: () => setNoting(false),
    // After a conflict too: the finding is shown as it is now. What was typed is kept.
    onSettled: (_, error) => {
      if (error === null || isRefusal(error, 'conflict')) return readAgain();
      return undefined;
    },
  });
  const { findingId: id, status, revision, proposedAction, latestAction, acknowledgeNote } = finding;
  // What was just drafted is known before the list is read again.
  const isRead = drafted === null || drafted.actionId === latestAction?.actionId;
  const action = isRead ? latestAction : drafted;
  const isOpen = status !== 'resolved';
  const mayAcknowledge = capabilities.includes('finding.acknowledge') && isOpen;
  const mayDraft = capabilities.includes('action.draft') && isOpen;
  const isAcknowledged = status === 'acknowledged';
  const isOwn = isAcknowledged && finding.acknowledgedBy === principalId;
  return (
    <>
      {action !== null && <OwnAction action={action} />}
      <div className="row">
        {proposedAction !== null && mayDraft && (action === null || OVER.includes(action.status)) && (
          <ActButton
            isBusy={act.isPending}
            onAct={() => act.mutate(async () => setDrafted(await actionsCreate(proposedAction)))}
          >
            {proposedAction.kind === 'internal_task' ? 'Draft a task' : 'Draft the change of the label'}
          </ActButton>
        )}
        {mayAcknowledge && (!isAcknowledged || isOwn) && !isNoting && (
          <Button onClick={() => setNoting(true)}>{isOwn ? 'Change the note' : 'Acknowledge'}</Button>
        )}
        {mayAcknowledge && isAcknowledged && (
          <ActButton
            isBusy={act.isPending}
            onAct={() => act.mutate(() => findingsTakeBack(id, { revision }))}
          >
            Take the acknowledgement back
          </ActButton>
        )}
      </div>
      {isNoting && (
        <NoteForm
          findingId={id}
          before={isOwn ? (acknowledgeNote ?? '') : ''}
          name={isOwn ? 'Save the note' : 'Acknowledge'}
          isBusy={act.isPending}
          onSave={(note) => act.mutate(() => findingsAcknowledge(id, { note, revision }))}
          onCancel={() => setNoting(false)}
        />
      )}
      {act.isError && <NotDone error={act.error} />}
    </>
  );
}

/** Asks why a finding may stay. Null is no note. */
function NoteForm({
  findingId,
  before,
  name,
  isBusy,
  onSave,
  onCancel,
}: {
  findingId: string;
  before: string;
  name: string;
  isBusy: boolean;
  onSave: (note: string | null) => void;
  onCancel: () => void;
}) {
  const [note, setNote] = useState(before);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(note.trim() === '' ? null : note.trim());
      }}
    >
      <div className="field">
        <label htmlFor={`note-${findingId}`}>Why it may stay so, for those who read it later</label>
        <textarea
          id={`note-${findingId}`}
          className="input"
          maxLength={MAX_NOTE}
          value={note}
          // biome-ignore lint/a11y/noAutofocus: the field was just asked for
          autoFocus
          onChange={({ target }) => setNote(target.value)}
        />
      </div>
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy}>
          {name}
        </Button>
        <Button kind="plain" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
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
