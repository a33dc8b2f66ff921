import { contentTagOf, tagOf } from './ids.ts';
import { mimeTypeOf } from './mime-types.ts';
import type { DriveItemJson, IdentitySetJson, ItemReferenceJson } from './schemas.ts';
import type { Actor, Drive, Item, Tenant } from './state.ts';

const at = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const by = ({ id, displayName }: Actor): IdentitySetJson => ({ user: { id, displayName } });

export const driveTypeOf = (drive: Drive): 'business' | 'documentLibrary' =>
  drive.personal ? 'business' : 'documentLibrary';

/** Names from the root to the item, the root left out. */
export function namesTo(drive: Drive, item: Item): string[] {
  const names: string[] = [];
  let here: Item | undefined = item;
  while (here !== undefined && here.parentId !== null) {
    names.unshift(here.name);
    here = drive.items.get(here.parentId);
  }
  return names;
}

function parentReference(drive: Drive, item: Item, withPath: boolean): ItemReferenceJson {
  const shell = {
    driveType: driveTypeOf(drive),
    driveId: drive.id,
    siteId: drive.siteId.split(',')[1] ?? '',
  };
  if (item.parentId === null) return shell;
  const parent = drive.items.get(item.parentId);
  if (parent === undefined) return shell;
  return {
    ...{ ...shell, id: parent.id },
    ...(parent.parentId === null ? {} : { name: parent.name }),
    ...(withPath ? { path: pathOf(drive, parent) } : {}),
  };
}

const pathOf = (drive: Drive, folder: Item): string =>
  [`/drives/${drive.id}/root:`, ...namesTo(drive, folder).map(encodeURIComponent)].join('/');

const webUrlOf = (drive: Drive, item: Item): string =>
  [drive.webUrl, ...namesTo(drive, item).map(encodeURIComponent)].join('/');

/** How far the item is shared, by its own grants. */
function sharedFacet(item: Item): Pick<DriveItemJson, 'shared'> {
  const scopes = item.grants.flatMap((grant) => (grant.to === 'link' ? [grant.scope] : ['users' as const]));
  const scope = (['anonymous', 'organization', 'users'] as const).find((each) => scopes.includes(each));
  return scope === undefined ? {} : { shared: { scope } };
}

function facets(tenant: Tenant, drive: Drive, item: Item): Partial<DriveItemJson> {
  const childCount = drive.children.get(item.id)?.size ?? 0;
  switch (item.kind) {
    case 'folder':
      return { folder: { childCount }, ...(item.parentId === null ? { root: {} } : {}) };
    case 'package':
      return { package: { type: 'oneNote' } };
    case 'shortcut':
      return remoteItemOf(tenant, item);
    case 'file': {
      const quickXorHash = item.content?.hash ?? '';
      return {
        file: { mimeType: mimeTypeOf(item.name), hashes: { quickXorHash } },
        ...(item.malware ? { malware: { description: 'Win32/Fixture.A' } } : {}),
        ...(item.lock === 'checkedOut' ? { publication: { level: 'checkout', versionId: '1.0' } } : {}),
      };
    }
  }
}

function remoteItemOf(tenant: Tenant, { target }: Item): Partial<DriveItemJson> {
  const drive = tenant.drives.get(target?.driveId ?? '');
  const item = drive?.items.get(target?.itemId ?? '');
  if (drive === undefined || item === undefined) return {};
  const facet = item.kind === 'folder' ? { folder: {} } : { file: { mimeType: mimeTypeOf(item.name) } };
  return {
    remoteItem: {
      ...{
        id: item.id,
        name: item.name,
        size: item.content?.size ?? 0,
        webUrl: webUrlOf(drive, item),
        ...facet,
      },
      parentReference: { driveId: drive.id, driveType: driveTypeOf(drive) },
    },
  };
}

/** A `driveItem` as `/items/{id}` gives it. */
export function driveItemJson(tenant: Tenant, drive: Drive, item: Item, withPath = true): DriveItemJson {
  const isRoot = item.parentId === null;
  const createdDateTime = at(item.createdAt);
  const lastModifiedDateTime = at(item.modifiedAt);
  return {
    ...{ id: item.id, name: item.name, size: item.content?.size ?? 0 },
    eTag: tagOf(item.guid, item.revision),
    ...(isRoot ? {} : { cTag: contentTagOf(item.guid, item.kind === 'folder' ? 0 : item.contentRevision) }),
    webUrl: webUrlOf(drive, item),
    ...{ createdDateTime, createdBy: by(item.createdBy) },
    ...{ lastModifiedDateTime, lastModifiedBy: by(item.modifiedBy) },
    parentReference: parentReference(drive, item, withPath),
    fileSystemInfo: { createdDateTime, lastModifiedDateTime },
    ...facets(tenant, drive, item),
    ...sharedFacet(item),
  };
}

/** A deleted item in a delta. The documentation says that name and cTag are left out. */
export const deletedItemJson = (drive: Drive, item: Item): DriveItemJson => ({
  ...{ id: item.id, size: 0, parentReference: { driveType: driveTypeOf(drive), driveId: drive.id } },
  ...(item.kind === 'folder' ? { folder: {} } : { file: {} }),
  deleted: { state: 'deleted' },
});
