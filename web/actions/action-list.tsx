import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useActionsFacets, useActionsList } from '../../client/generated/actions/actions.ts';
import {
  type Action,
  ActionKind,
  ActionStatus,
  type ActionsFacetsAnswer,
  type ActionsListParams,
  ActionsOfMine,
} from '../../client/generated/service.schemas.ts';
import { Chip, ToggleChip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { counted } from '../shell/facets.ts';
import type { ActionSearch } from '../shell/routes.tsx';
import { member } from '../shell/search.ts';
import { useMe } from '../shell/session.ts';
import { ActionViews, Total } from './action-views.tsx';
import { TargetFile } from './target.tsx';
import { KIND_NAMES, STATUS_NAMES, titleOf } from './words.ts';

const kept = <T extends object>(filter: T): T =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T;

/** Actions, the newest first: what waits for whom, and what came of it. */
export function ActionList() {
  const search = useSearch({ from: '/shell/actions' });
  const status = member(ActionStatus, search.status);
  const kind = member(ActionKind, search.kind);
  const mine = member(ActionsOfMine, search.mine);
  const others = kept({ kind, mine }) as ActionsListParams;
  const list = useActionsList(status === undefined ? others : { ...others, status }, {
    query: { placeholderData: (before) => before },
  });
  // Without the status, so that each status says how many it has.
  const facets = useActionsFacets(others, { query: { placeholderData: (before) => before } });
  useEffect(() => {
    document.title = 'Actions · Governance';
  }, []);
  const isFiltered = (status ?? kind ?? mine) !== undefined;
  return (
    <div className="page">
      <div className="row">
        <h1 className="grow">Actions</h1>
        <Total list={list.data} />
      </div>
      <ActionViews />
      <Filters status={status} kind={kind} mine={mine} counts={facets.data} />
      {list.isPending && <Skeleton lines={8} />}
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.items.length === 0 && <NoAction isFiltered={isFiltered} />}
      <ul className="stack">
        {list.data?.items.map((action) => (
          <Row key={action.actionId} action={action} />
        ))}
      </ul>
      {list.data?.truncated === true && (
        <p className="dim">The newest {list.data.items.length} are listed. Narrow the list to see others.</p>
      )}
    </div>
  );
}

function Filters({
  status,
  kind,
  mine,
  counts,
}: {
  status: ActionStatus | undefined;
  kind: ActionKind | undefined;
  mine: ActionsOfMine | undefined;
  counts: ActionsFacetsAnswer | undefined;
}) {
  const { capabilities } = useMe();
  const navigate = useNavigate({ from: '/actions' });
  const change = (by: ActionSearch) =>
    void navigate({ search: (before: ActionSearch) => kept({ ...before, ...by }) });
  const isWhole = counts?.isExact === true;
  const countOf = (value: string) => counts?.facets.status.find((each) => each.value === value)?.count ?? 0;
  const whose = [
    ...(capabilities.includes('action.approve')
      ? [[ActionsOfMine.to_approve, 'Waiting for me'] as const]
      : []),
    ...(capabilities.includes('action.draft') ? [[ActionsOfMine.requested, 'Requested by me'] as const] : []),
  ];
  return (
    <search className="stack">
      {whose.length > 0 && (
        <fieldset className="row chips" aria-label="Whose">
          {whose.map(([value, name]) => (
            <ToggleChip
              key={value}
              isOn={mine === value}
              onChange={(isOn) => change({ mine: isOn ? value : undefined })}
            >
              {name}
            </ToggleChip>
          ))}
        </fieldset>
      )}
      <fieldset className="row chips" aria-label="Status">
        {Object.values(ActionStatus)
          .filter((value) => value === status || countOf(value) > 0 || counts?.isExact === false)
          .map((value) => (
            <ToggleChip
              key={value}
              isOn={status === value}
              onChange={(isOn) => change({ status: isOn ? value : undefined })}
            >
              {STATUS_NAMES[value]} {counted(countOf(value), isWhole)}
            </ToggleChip>
          ))}
      </fieldset>
      <fieldset className="row chips" aria-label="Kind">
        {Object.values(ActionKind).map((value) => (
          <ToggleChip
            key={value}
            isOn={kind === value}
            onChange={(isOn) => change({ kind: isOn ? value : undefined })}
          >
            {KIND_NAMES[value]}
          </ToggleChip>
        ))}
      </fieldset>
    </search>
  );
}

function NoAction({ isFiltered }: { isFiltered: boolean }) {
  const { capabilities } = useMe();
  return isFiltered ? (
    <Empty title="No action is so.">
      <Link className="button" to="/actions" search={{}}>
        Show all actions
      </Link>
    </Empty>
  ) : (
    <Empty title="Nobody has asked for an action that you may see.">
      <p>An owner drafts one from a finding.</p>
      {capabilities.includes('finding.read') && (
        <Link className="button" to="/findings">
          Go to the findings
        </Link>
      )}
    </Empty>
  );
}

const Row = ({ action }: { action: Action }) => (
  <li className="card stack">
    <div className="row">
      <h2 className="title">
        <Link to="/actions/$actionId" params={{ actionId: action.actionId }} dir="auto">
          {titleOf(action)}
        </Link>
      </h2>
      <Chip tone={action.status === 'awaiting_approval' ? 'note' : 'usual'}>
        {STATUS_NAMES[action.status]}
      </Chip>
    </div>
    <TargetFile target={action} />
    <p className="dim">
      Requested by {action.requester.displayName}, <Time at={action.createdAt} />
    </p>
  </li>
);
