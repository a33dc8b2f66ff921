import { answerDelta } from './delta.ts';
import { versionsOf } from './drive-acts.ts';
import { driveItemJson, driveTypeOf } from './drive-item-json.ts';
import { GraphError } from './errors.ts';
import { permissionJson } from './grants.ts';
import { pageOfList } from './lists.ts';
import { type Call, READ_FILES, type Route } from './route.ts';
import type { DriveItemJson, ItemReferenceJson, PermissionJson } from './schemas.ts';
import type { Drive, Item } from './state.ts';
import { itemNamed } from './visible.ts';

function itemJson(call: Call): DriveItemJson {
  const { drive, item } = itemNamed(call);
  const json = driveItemJson(call.tenant, drive, item);
  if (item.kind !== 'file' || item.malware || item.refused) return json;
  return { ...json, '@microsoft.graph.downloadUrl': call.downloads.urlOf(drive, item) };
}

/** Its own grants, then those of the folders above it, then those of the site. */
function permissionsOf({ tenant }: Call, drive: Drive, item: Item): PermissionJson[] {
  const own = item.grants.map((grant) => permissionJson(tenant, grant, null));
  const inherited: PermissionJson[] = [];
  let above = drive.items.get(item.parentId ?? '');
  while (above !== undefined) {
    const from: ItemReferenceJson = {
      ...{ driveType: driveTypeOf(drive), driveId: drive.id, id: above.id },
      path: `/drives/${drive.id}/root:`,
    };
    // A link opens what it was made for: links of folders open what is in them.
    inherited.push(...above.grants.map((grant) => permissionJson(tenant, grant, from)));
    above = drive.items.get(above.parentId ?? '');
  }
  const site = tenant.sites.find(({ id }) => id === drive.siteId);
  const ofSite = { driveType: driveTypeOf(drive), driveId: drive.id, id: drive.rootId };
  return [
    ...own,
    ...inherited,
    ...(site?.grants ?? []).map((grant) =>
      permissionJson(tenant, grant, item.parentId === null ? null : ofSite),
    ),
  ];
}

/** Seen for flagged files (OneDrive/onedrive-api-docs#1626, #1882): 403, `malwareDetected`. */
function answerContent(call: Call) {
  const { drive, item } = itemNamed(call);
  if (item.kind !== 'file') {
    throw new GraphError(400, 'notSupported', 'You cannot get content for a folder');
  }
  if (item.malware)
    throw new GraphError(403, 'malwareDetected', 'Malware detected', { innerCode: 'virusSuspicious' });
  // Nobody recorded a refusal of content: the code is the one that the documentation lists for refusals.
  if (item.refused)
    throw new GraphError(403, 'accessDenied', 'Access denied', { innerCode: 'accessRestricted' });
  return { status: 302, headers: { location: call.downloads.urlOf(drive, item) } };
}

function answerVersions(call: Call) {
  const { item } = itemNamed(call);
  if (item.kind !== 'file') throw new GraphError(400, 'notSupported', 'Only files have versions');
  const versions = versionsOf(item).map(({ id, at, by, content }) => ({
    ...{ id, lastModifiedDateTime: new Date(at).toISOString(), size: content.size },
    lastModifiedBy: { user: { id: by.id, displayName: by.displayName } },
  }));
  return pageOfList(call, versions, 'versions');
}

export const ITEM_ROUTES: readonly Route[] = [
  {
    ...{ family: 'delta', method: 'GET', path: '/drives/{drive}/root/delta', of: 'driveItem', list: true },
    permissions: READ_FILES,
    answer: answerDelta,
  },
  {
    ...{ family: 'item', method: 'GET', path: '/drives/{drive}/items/{item}', of: 'driveItem' },
    permissions: READ_FILES,
    answer: (call) => ({ status: 200, body: itemJson(call) }),
  },
  {
    ...{ family: 'content', method: 'GET', path: '/drives/{drive}/items/{item}/content' },
    permissions: READ_FILES,
    answer: answerContent,
  },
  {
    ...{ family: 'permissions', method: 'GET', path: '/drives/{drive}/items/{item}/permissions' },
    ...{ of: 'permission', list: true, permissions: READ_FILES },
    answer: (call) => {
      const { drive, item } = itemNamed(call);
      return pageOfList(call, permissionsOf(call, drive, item), 'permissions');
    },
  },
  {
    ...{ family: 'versions', method: 'GET', path: '/drives/{drive}/items/{item}/versions' },
    ...{ of: 'driveItemVersion', list: true, permissions: READ_FILES },
    answer: answerVersions,
  },
];
