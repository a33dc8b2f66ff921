import type { ActionFilter } from '../actions/action-filter.sql.ts';
import { actionsAfter } from '../actions/action-list.sql.ts';
import type { Action } from '../actions/action-schema.ts';
import type { ListReader } from '../authz/action-visibility.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the actions that the reader may see. */
export const actionPages = (reading: Reading, reader: ListReader, filter: ActionFilter) =>
  pagesAfter(
    (afterId: string | null, limit) =>
      reading((tx) => actionsAfter(tx, reader, filter, afterId ?? '', limit)),
    ({ actionId }) => actionId,
  );

const COLUMNS = [
  'actionId',
  'kind',
  'status',
  'targetAssetId',
  'targetAssetName',
  'targetAssetPath',
  'targetScopeName',
  'findingId',
  'justification',
  'desiredLabelGuid',
  'taskTitle',
  'taskNote',
  'blockedReason',
  'outcomeReason',
  'mode',
  'taskId',
  'taskStatus',
  'attempts',
  'revision',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Action)[];

export const actionTable: Table<Action> = {
  columns: [
    ...COLUMNS,
    'requesterId',
    'requesterName',
    'lastDecision',
    'lastDecidedByName',
    'lastDecisionReason',
    'lastDecidedAt',
  ],
  cells: (action) => {
    const last = action.approvals.at(-1);
    return [
      ...COLUMNS.map((column) => action[column]),
      action.requester.principalId,
      action.requester.displayName,
      last?.decision ?? null,
      last?.displayName ?? null,
      last?.reason ?? null,
      last?.decidedAt ?? null,
    ];
  },
};
