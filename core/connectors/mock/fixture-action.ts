import { notFound, validationFailed } from '../../kernel/errors.ts';
import { fixtureBytes } from './fixture-content.ts';
import { ANYONE_GRANT, isWide, siteGrants } from './fixture-grants.ts';
import type { FixtureChange, FixtureItem, FixtureScope } from './fixture-store.ts';
import { isFormat } from './formats/format.ts';
import { LABEL_CATALOG, labelByGuid } from './label-catalog.ts';

export const FIXTURE_ACTIONS = [
  'add',
  'edit',
  'rename',
  'overshare',
  'restrict',
  'set_label',
  'clear_label',
  'delete',
  'request_resync',
] as const;

/** The options of an action. Each has a default, so the action alone is enough. */
export type FixtureRequest = {
  action: (typeof FIXTURE_ACTIONS)[number];
  content?: string | undefined;
  name?: string | undefined;
  labelGuid?: string | undefined;
};

/** Values that a pure function cannot generate: the time (ISO 8601), and the id of a new item. */
export type ActionFacts = { at: string; newExternalId: string };

/**
 * Returns the rows after an action on a scope. All actions except `add` and `request_resync` also need an item.
 * Throws `not_found` if the item is missing or deleted, and `validation_failed` for an invalid name or label.
 */
export function applyFixtureAction(
  scope: FixtureScope,
  item: FixtureItem | null,
  request: FixtureRequest,
  facts: ActionFacts,
): FixtureChange {
  if (request.action === 'request_resync')
    return { scope: { ...scope, cursorEpoch: scope.cursorEpoch + 1 }, item: null };
  const changeSeq = scope.changeSeq + 1;
  const changed =
    request.action === 'add' ? newItem(scope, request, facts) : changedItem(item, request, facts);
  return { scope: { ...scope, changeSeq }, item: { ...changed, changeSeq } };
}

function newItem(scope: FixtureScope, request: FixtureRequest, facts: ActionFacts): FixtureItem {
  const name = validName(request.name ?? `Note ${scope.changeSeq + 1}.txt`);
  return withSize({
    scopeExternalId: scope.externalId,
    externalId: facts.newExternalId,
    name,
    folder: '',
    format: formatOf(name),
    template: 'meetingMinutes',
    contentKey: facts.newExternalId,
    contentRevision: 1,
    content: request.content ?? null,
    sizeBytes: 0,
    readable: true,
    metadataRevision: 1,
    labelGuid: null,
    grants: siteGrants(scope.name),
    deleted: false,
    changeSeq: 0,
    createdAt: facts.at,
    modifiedAt: facts.at,
    modifiedBy: MODIFIED_BY,
  });
}

const MODIFIED_BY = 'fixture@nordwind.example';

function changedItem(item: FixtureItem | null, request: FixtureRequest, facts: ActionFacts): FixtureItem {
  if (item === null || item.deleted) throw notFound();
  const touched: FixtureItem = {
    ...item,
    metadataRevision: item.metadataRevision + 1,
    modifiedAt: facts.at,
    modifiedBy: MODIFIED_BY,
  };
  switch (request.action) {
    case 'edit':
      return edited(touched, request.content);
    case 'rename':
      return { ...touched, name: validName(request.name ?? `Renamed ${item.metadataRevision} ${item.name}`) };
    case 'overshare':
      return {
        ...touched,
        grants: [...item.grants.filter((g) => g.principalKind !== 'anyone'), ANYONE_GRANT],
      };
    case 'restrict':
      return { ...touched, grants: item.grants.filter((grant) => !isWide(grant)) };
    case 'set_label':
      return { ...touched, labelGuid: validLabel(request.labelGuid ?? LABEL_CATALOG[2].guid) };
    case 'clear_label':
      return { ...touched, labelGuid: null };
    default:
      return { ...touched, deleted: true };
  }
}

/** New text also makes an unreadable item readable, in the format of its name. */
function edited(item: FixtureItem, content: string | undefined): FixtureItem {
  const next = { ...item, contentRevision: item.contentRevision + 1 };
  return withSize(
    content === undefined ? next : { ...next, content, format: formatOf(item.name), readable: true },
  );
}

const withSize = (item: FixtureItem): FixtureItem =>
  item.readable ? { ...item, sizeBytes: fixtureBytes(item).length } : item;

function formatOf(name: string): FixtureItem['format'] {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return isFormat(extension) ? extension : 'txt';
}

function validName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (!/^[^/\\\x00-\x1f]{1,255}$/.test(name))
    throw validationFailed([{ path: 'name', message: 'Not a file name.' }]);
  return name;
}

function validLabel(guid: string): string {
  if (labelByGuid(guid) === undefined)
    throw validationFailed([{ path: 'labelGuid', message: 'No such label in the catalog.' }]);
  return guid;
}
