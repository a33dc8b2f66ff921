import { deletedItemJson, driveItemJson } from './drive-item-json.ts';
import { type Answer, badRequest, GraphError } from './errors.ts';
import type { Call } from './route.ts';
import type { DriveItemJson } from './schemas.ts';
import type { Drive, Item, Tenant } from './state.ts';
import { driveNamed } from './visible.ts';

const DEFAULT_TOP = 200;
const MAX_TOP = 1000;

/** These go together, or the call is refused. */
const SHARING_PREFERENCES = [
  'deltashowremovedasdeleted',
  'deltatraversepermissiongaps',
  'deltashowsharingchanges',
];

/** What a token stands for. */
type Position = {
  driveGuid: string;
  epoch: number;
  /** The next place of the log. */
  from: number;
  /** Where this round began. A walk leaves out what was deleted before. */
  since: number;
  walk: boolean;
  /** The header set that the first call of the round had. */
  sharing: boolean;
  /** Makes links differ that lead to the same place. */
  salt: number;
};

const PREFIX = '3;%231;3';

const tokenOf = (position: Position): string =>
  Buffer.from(
    [
      ...[PREFIX, position.driveGuid, position.epoch, position.from, position.since],
      ...[Number(position.walk), Number(position.sharing), position.salt],
    ].join(';'),
  ).toString('base64url');

function positionOf(token: string): Position {
  const text = Buffer.from(token, 'base64url').toString();
  const [driveGuid = '', ...numbers] = text.slice(PREFIX.length + 1).split(';');
  const [epoch, from, since, walk, sharing, salt] = numbers.map(Number);
  const isToken =
    text.startsWith(`${PREFIX};`) && numbers.length === 6 && numbers.every((n) => /^\d+$/.test(n));
  if (!isToken) throw badRequest('The provided delta token is malformed.');
  return {
    ...{ driveGuid, epoch: epoch ?? 0, from: from ?? 0, since: since ?? 0, salt: salt ?? 0 },
    ...{ walk: walk === 1, sharing: sharing === 1 },
  };
}

/** `GET /drives/{drive}/root/delta` in all its forms. */
export function answerDelta(call: Call): Answer {
  const drive = driveNamed(call);
  const sharing = sharingAsked(call);
  const token = ['token', '$skiptoken', '$deltatoken']
    .map((name) => call.query.get(name))
    .find((t) => t !== null);
  if (token === 'latest') return pageOf(call, newRound(drive, sharing, false), []);
  if (token === undefined || token === null) {
    return nextPage(call, drive, newRound(drive, sharing, true));
  }
  const position = positionOf(token);
  if (position.driveGuid !== drive.guid) throw badRequest('The provided delta token is of another drive.');
  if (position.epoch !== drive.epoch) throw gone(call, drive, sharing);
  // Seen (OneDrive/onedrive-api-docs#1594): a token with another set of headers than its own is answered so.
  if (position.sharing !== sharing) throw new GraphError(410, 'resyncRequired', RESYNC);
  return nextPage(call, drive, position);
}

/** A round from the first item (`walk`), or one that has nothing before now. */
const newRound = (drive: Drive, sharing: boolean, walk: boolean): Position => ({
  ...{ driveGuid: drive.guid, epoch: drive.epoch, from: walk ? 0 : drive.log.length },
  ...{ since: drive.log.length, walk, sharing, salt: 0 },
});

function sharingAsked({ headers }: Call): boolean {
  const asked = (headers.prefer ?? '').split(',').map((part) => part.trim().toLowerCase());
  const present = SHARING_PREFERENCES.filter((preference) => asked.includes(preference));
  if (present.length !== 0 && present.length !== SHARING_PREFERENCES.length) {
    throw badRequest(`The preferences ${SHARING_PREFERENCES.join(', ')} go together.`);
  }
  return present.length > 0;
}

/** Seen as the message of a 410 (OneDrive/onedrive-api-docs#1356). */
const RESYNC =
  "Resync required. Replace any local items with the server's version (including deletes) if you're sure that the service was up to date with your local changes when you last sync'd. Upload any local changes that the server doesn't know about.";

/** The `Location` is documented (`driveitem-delta`): a link that starts a fresh enumeration. Nobody recorded one. */
function gone(call: Call, drive: Drive, sharing: boolean): GraphError {
  const { code, withLocation } = drive.resync;
  const location = linkTo(call, { ...newRound(drive, sharing, true), since: drive.log.length });
  return new GraphError(410, code, RESYNC, { headers: withLocation ? { location } : {} });
}

function nextPage(call: Call, drive: Drive, position: Position): Answer {
  if (call.fault?.kind === 'emptyPage') {
    return pageOf(call, { ...position, salt: position.salt + 1 }, [], true);
  }
  const top = topOf(call) + call.tenant.quirks.pageOverflow;
  // Documented (`driveitem-delta`): changes of sharing are all told to applications with this permission only.
  const showsSharing = position.sharing && call.app.permissions.includes('Sites.FullControl.All');
  const items: Item[] = [];
  let from = position.from;
  for (; from < drive.log.length && items.length < top; from++) {
    const item = drive.items.get(drive.log[from]?.id ?? '');
    if (item === undefined) continue;
    if ((showsSharing ? item.changed : item.changedBeyondSharing) !== from) continue;
    if (position.walk && item.deleted && from < position.since) continue;
    items.push(item);
  }
  const isLast = from === drive.log.length;
  const rest = isLast
    ? { ...position, from, since: from, walk: false, salt: 0 }
    : { ...position, from, salt: 0 };
  const value = items.flatMap((item) => shown(call, drive, item, position));
  return pageOf(call, rest, withAncestors(call, drive, position, items, value), !isLast);
}

function shown(call: Call, drive: Drive, item: Item, position: Position): DriveItemJson[] {
  if (item.deleted) return [deletedItemJson(drive, item)];
  const { quirks } = call.tenant;
  const json = driveItemJson(call.tenant, drive, item, quirks.deltaShowsPath);
  if (quirks.deltaOmitsContentTag) delete json.cTag;
  // Recorded: on files only (microsoftgraph/msgraph-sdk-java#2548).
  if (position.sharing && !position.walk && item.shared >= position.since && item.kind === 'file') {
    json['@microsoft.graph.sharedChanged'] = true;
  }
  if (call.fault?.kind !== 'repeatItems') return [json];
  return [{ ...json, name: `Earlier ${item.name}` }, json];
}

/** The folders on the way to what changed are told too, unless `deltaExcludeParent` asks to leave them out. */
function withAncestors(
  { tenant, headers }: Call,
  drive: Drive,
  { walk }: Position,
  items: readonly Item[],
  value: DriveItemJson[],
): DriveItemJson[] {
  if (walk || headers.deltaexcludeparent !== undefined) return value;
  const told = new Set(items.map(({ id }) => id));
  const ancestors: DriveItemJson[] = [];
  for (const item of items.filter(({ deleted }) => !deleted)) {
    const way: Item[] = [];
    let here = drive.items.get(item.parentId ?? '');
    while (here !== undefined && !told.has(here.id)) {
      told.add(here.id);
      way.unshift(here);
      here = drive.items.get(here.parentId ?? '');
    }
    ancestors.push(...way.map((folder) => ancestorJson(tenant, drive, folder)));
  }
  return [...ancestors, ...value];
}

const ancestorJson = (tenant: Tenant, drive: Drive, folder: Item): DriveItemJson =>
  driveItemJson(tenant, drive, folder, tenant.quirks.deltaShowsPath);

function topOf({ query }: Call): number {
  const top = query.get('$top');
  if (top === null) return DEFAULT_TOP;
  if (!/^[1-9]\d{0,5}$/.test(top)) throw badRequest("The value of '$top' must be a positive integer.");
  return Math.min(Number(top), MAX_TOP);
}

function pageOf(call: Call, rest: Position, value: readonly DriveItemJson[], hasNext = false): Answer {
  const link = call.fault?.kind === 'repeatLink' && hasNext ? ownLink(call) : linkTo(call, rest);
  return {
    status: 200,
    body: {
      '@odata.context': `${call.base}/$metadata#Collection(driveItem)`,
      [hasNext ? '@odata.nextLink' : '@odata.deltaLink']: link,
      value,
    },
  };
}

const pathOf = ({ base, values }: Call): string =>
  `${base}/drives/${encodeURIComponent(values.drive ?? '')}/root/delta`;

function linkTo(call: Call, position: Position): string {
  const token = tokenOf(position);
  const kept = new URLSearchParams(call.query);
  for (const name of ['token', '$skiptoken', '$deltatoken']) kept.delete(name);
  const query = [...kept].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  switch (call.tenant.quirks.links) {
    case 'call':
      return [`${pathOf(call)}(token='${token}')`, query.join('&')].filter((part) => part !== '').join('?');
    case 'keys': {
      const path = `${call.base}/drives('${call.values.drive}')/root/microsoft.graph.delta(token='${token}')`;
      return [path, query.join('&')].filter((part) => part !== '').join('?');
    }
    case 'query':
      return `${pathOf(call)}?${[`token=${token}`, ...query].join('&')}`;
    case 'skiptoken': {
      const name = position.walk || position.from !== position.since ? '$skiptoken' : '$deltatoken';
      return `${pathOf(call)}?${[`${name}=${token}`, ...query].join('&')}`;
    }
  }
}

const ownLink = (call: Call): string =>
  `${pathOf(call)}?${[...call.query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
