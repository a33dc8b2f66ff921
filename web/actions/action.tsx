import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useActionsGet } from '../../client/generated/actions/actions.ts';
import type { ActionDetail, ActionTarget } from '../../client/generated/service.schemas.ts';
import { useTasksList } from '../../client/generated/tasks/tasks.ts';
import { isRefusal } from '../../client/refusal.ts';
import { Chip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { LABEL_NAMES } from '../shell/labels.ts';
import { useMe } from '../shell/session.ts';
import { NextStep } from './next-step.tsx';
import { TargetFile } from './target.tsx';
import { TaskCard } from './task-card.tsx';
import { reasonInWords, STATUS_NAMES, TRIGGER_NAMES, titleOf } from './words.ts';
import './actions.css';

/** While the service carries an action out, it is read again after this time. */
const AGAIN_MS = 3_000;

/** An action: what is now and what will be, who may do the next step, and what has happened. */
export function ActionView() {
  const { actionId } = useParams({ from: '/shell/actions/$actionId' });
  const action = useActionsGet(actionId, {
    query: {
      refetchInterval: ({ state }) =>
        state.data?.status === 'approved' || state.data?.status === 'executing' ? AGAIN_MS : false,
    },
  });
  const title = action.data === undefined ? 'Action' : titleOf(action.data);
  useEffect(() => {
    document.title = `${title} · Governance`;
  }, [title]);
  if (action.isPending) {
    return (
      <div className="page">
        <h1 className="only-read">Action</h1>
        <Skeleton lines={10} />
      </div>
    );
  }
  if (action.data === undefined) {
    return (
      <div className="page">
        <h1 className="only-read">Action</h1>
        {isRefusal(action.error, 'not_found') ? (
          <Empty title="There is no such action, or you may not see it.">
            <Link className="button" to="/actions">
              Go to all actions
            </Link>
          </Empty>
        ) : (
          <Failure error={action.error} onRetry={() => void action.refetch()} />
        )}
      </div>
    );
  }
  return <Shown action={action.data} />;
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="card stack" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

const Shown = ({ action }: { action: ActionDetail }) => (
  <div className="page">
    <div className="stack">
      <div className="row">
        <Chip tone={action.status === 'awaiting_approval' ? 'note' : 'usual'}>
          {STATUS_NAMES[action.status]}
        </Chip>
        {action.mode === 'mock' && <Chip tone="dashed">in the sample source</Chip>}
        <span className="dim">
          Requested by {action.requester.displayName}, <Time at={action.createdAt} />
        </span>
      </div>
      <h1 dir="auto">{titleOf(action)}</h1>
      <TargetFile target={action} />
    </div>
    <div className="action-columns">
      <div className="stack">
        <Part title="What changes">
          <Change action={action} />
        </Part>
        <NextStep action={action} />
        {action.taskId !== null && <OwnTask taskId={action.taskId} />}
      </div>
      <div className="stack">
        <Part title="Why">
          <p dir="auto">{action.justification}</p>
          {action.taskNote !== null && action.taskNote !== '' && (
            <blockquote dir="auto">{action.taskNote}</blockquote>
          )}
        </Part>
        <Part title="History">
          <History action={action} />
        </Part>
      </div>
    </div>
  </div>
);

const PLACES = { source: 'at the source', scan: 'by the last scan', service: 'by the service' } as const;

function Change({ action: { preview, verification } }: { action: ActionDetail }) {
  return (
    <>
      <div className="states">
        <div className="state" data-is="before">
          <h3>{verification === null ? 'Now' : 'Before'}</h3>
          <p className="strong">{inWords(preview.currentState)}</p>
          <p className="dim">
            read {PLACES[preview.readFrom]} <Time at={preview.readAt} />
          </p>
        </div>
        <div className="state" data-is="after">
          <h3>Afterwards</h3>
          <p className="strong">{inWords(preview.desiredState)}</p>
          {!preview.changes && <p className="dim">That is how it is already.</p>}
          {preview.lowersLabel === true && <p className="dim">This label is weaker than the present one.</p>}
        </div>
      </div>
      {verification !== null && (
        <p>
          <span className="strong">Checked afterwards:</span> {inWords(verification.observedState)}
          <span className="dim">
            {verification.holds ? ', as wanted' : ', not as wanted'}
            {verification.holds && !verification.wrote && ', without a write'},{' '}
            <Time at={verification.checkedAt} />
          </span>
        </p>
      )}
    </>
  );
}

function inWords(state: ActionTarget): string {
  if (state.kind === 'task') return state.exists ? 'A task for the owners' : 'No task';
  if (state.labelState === 'labeled') return `Label “${state.labelName ?? 'without a name'}”`;
  if (state.labelState === 'unknown') return `Label: ${LABEL_NAMES.unknown}`;
  return state.labeledElsewhere === true ? 'No label, but one of another organisation' : 'No label';
}

/** The task that the action made, with its own steps. */
function OwnTask({ taskId }: { taskId: string }) {
  const tasks = useTasksList({ ids: taskId });
  return (
    <section className="card stack" aria-label="Its task">
      {tasks.isPending && <Skeleton />}
      {tasks.isError && <Failure error={tasks.error} onRetry={() => void tasks.refetch()} />}
      {tasks.data?.items.map((task) => (
        <TaskCard key={task.taskId} task={task} />
      ))}
    </section>
  );
}

function History({ action: { history, requester, approvals } }: { action: ActionDetail }) {
  const { principalId: me } = useMe();
  const names = new Map([requester, ...approvals].map((each) => [each.principalId, each.displayName]));
  const who = (id: string | null) =>
    id === null ? 'The service' : id === me ? 'You' : (names.get(id) ?? 'A colleague');
  return (
    <ol className="history">
      {history.map(({ revision, principalId, trigger, reason, at }) => (
        <li key={revision}>
          <span className="strong">{who(principalId)}</span> {TRIGGER_NAMES[trigger]}
          {reason !== null && <p>{reasonInWords(reason)}</p>}
          {approvals
            .filter((each) => each.decidedAt === at && each.reason !== '')
            .map((each) => (
              <blockquote key={each.principalId} dir="auto">
                {each.reason}
              </blockquote>
            ))}
          <div className="dim">
            <Time at={at} />
          </div>
        </li>
      ))}
    </ol>
  );
}
