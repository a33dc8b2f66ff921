import type { Grant, GrantSpec } from './grants.ts';
import { guidOf, itemIdOf } from './ids.ts';
import { quickXorHash } from './quick-xor-hash.ts';
import type { Actor, Content, Drive, Item, Lock, Resync, Tenant, Version } from './state.ts';

/** Content of files: a text, bytes, or a function that makes them, with their size and hash if these are known. */
export type ContentSpec = string | Uint8Array | Content;

/** Bytes whose hash is computed once it is asked for. A text stays one until then. */
class StoredContent implements Content {
  readonly #stored: string | Uint8Array;
  readonly size: number;
  #hash: string | null = null;

  constructor(stored: string | Uint8Array) {
    this.#stored = stored;
    this.size = typeof stored === 'string' ? Buffer.byteLength(stored) : stored.length;
  }

  bytes(): Uint8Array {
    return typeof this.#stored === 'string' ? Buffer.from(this.#stored) : this.#stored;
  }

  get hash(): string {
    this.#hash ??= quickXorHash(this.bytes());
    return this.#hash;
  }
}

const contentOf = (spec: ContentSpec): Content =>
  typeof spec === 'string' || spec instanceof Uint8Array ? new StoredContent(spec) : spec;

const MAX_VERSIONS = 500;

type FileOptions = { by?: Actor; at?: number };
export type DriveWorld = {
  tenant: Tenant;
  drive: Drive;
  clock: () => number;
  /** Told of each change, so that subscribers are. */
  changed: (drive: Drive, sharing: boolean) => void;
};

const SERVICE: Actor = { id: guidOf('system account'), displayName: 'System Account' };

/** The folders and file of a path. */
const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

function record({ drive, changed }: DriveWorld, item: Item, sharing = false): void {
  item.changed = drive.log.push({ id: item.id, sharing }) - 1;
  if (!sharing) item.changedBeyondSharing = item.changed;
  changed(drive, sharing);
}

/** The newest first; the content of now is the first of them. */
export function versionsOf({ content, contentRevision, modifiedAt, modifiedBy, earlier }: Item): Version[] {
  if (content === null) return [];
  return [{ id: `${contentRevision}.0`, at: modifiedAt, by: modifiedBy, content }, ...earlier];
}

/** What users of the suite do in a document library. Ids are those of items. */
export function actsOf(world: DriveWorld) {
  const { tenant, drive, clock } = world;

  const itemAt = (id: string): Item => {
    const item = drive.items.get(id);
    if (item === undefined || item.deleted) throw new Error(`There is no item ${id} in ${drive.name}.`);
    return item;
  };
  const touch = (item: Item, { by = SERVICE, at = clock() }: FileOptions = {}) => {
    item.modifiedAt = at;
    item.modifiedBy = by;
    item.revision += 1;
    record(world, item);
  };
  const childNamed = (parentId: string, name: string) =>
    [...(drive.children.get(parentId) ?? [])]
      .map((id) => drive.items.get(id))
      .find((child) => child?.name.toLowerCase() === name.toLowerCase());

  const insert = (
    parentId: string,
    name: string,
    kind: Item['kind'],
    { by = SERVICE, at = clock() }: FileOptions,
    content: Content | null = null,
    target: Item['target'] = null,
  ): string => {
    const guid = guidOf(`${drive.key}/${drive.log.length}/${name}`);
    const item: Item = {
      ...{ id: itemIdOf(drive.idPrefix, guid), guid, kind, name, parentId, content, target },
      ...{ createdAt: at, createdBy: by, modifiedAt: at, modifiedBy: by, revision: 1, contentRevision: 1 },
      ...{
        earlier: [],
        grants: [],
        label: null,
        foreignLabels: [],
        lock: null,
        malware: false,
        refused: false,
      },
      ...{ deleted: false, changed: -1, changedBeyondSharing: -1, shared: -1 },
    };
    drive.items.set(item.id, item);
    if (kind === 'folder') drive.children.set(item.id, new Set());
    drive.children.get(parentId)?.add(item.id);
    record(world, item);
    return item.id;
  };

  const addFolder = (path: string): string => {
    let parentId = drive.rootId;
    for (const name of partsOf(path)) {
      parentId = childNamed(parentId, name)?.id ?? insert(parentId, name, 'folder', {});
    }
    return parentId;
  };
  const parentAndName = (path: string) => {
    const parts = partsOf(path);
    const name = parts.pop() ?? '';
    return { name, parentId: addFolder(parts.join('/')) };
  };
  const setContent = (item: Item, content: Content, options: FileOptions) => {
    item.earlier = versionsOf(item).slice(0, MAX_VERSIONS - 1);
    item.content = content;
    item.contentRevision += 1;
    touch(item, options);
  };
  const remove = (item: Item, told: boolean) => {
    const inside = [...(drive.children.get(item.id) ?? [])];
    for (const childId of inside) remove(itemAt(childId), !tenant.quirks.deletedFolderAlone);
    drive.children.get(item.parentId ?? '')?.delete(item.id);
    drive.children.delete(item.id);
    item.deleted = true;
    item.content = null;
    item.earlier = [];
    if (told) record(world, item);
  };
  const sharingChanged = (item: Item, direct: boolean) => {
    const { sharingChangesTag } = tenant.quirks;
    if (sharingChangesTag === 'always' || (sharingChangesTag === 'people' && direct)) item.revision += 1;
    record(world, item, true);
  };

  return {
    addFolder,
    /** The path within the library. Folders on it are made. In a folder that is known by id, use `addTo`. */
    add: (path: string, content: ContentSpec, options: FileOptions = {}): string => {
      const { name, parentId } = parentAndName(path);
      return insert(parentId, name, 'file', options, contentOf(content));
    },
    addTo: (parentId: string, name: string, content: ContentSpec, options: FileOptions = {}): string =>
      insert(parentId, name, 'file', options, contentOf(content)),
    addPackage: (path: string): string => {
      const { name, parentId } = parentAndName(path);
      return insert(parentId, name, 'package', {});
    },
    addShortcut: (path: string, target: { driveId: string; itemId: string }): string => {
      const { name, parentId } = parentAndName(path);
      return insert(parentId, name, 'shortcut', {}, null, target);
    },
    edit: (id: string, content: ContentSpec, options: FileOptions = {}): void =>
      setContent(itemAt(id), contentOf(content), options),
    restoreVersion: (id: string, versionId: string): void => {
      const item = itemAt(id);
      const version = versionsOf(item).find((each) => each.id === versionId);
      if (version === undefined) throw new Error(`Item ${id} has no version ${versionId}.`);
      setContent(item, version.content, {});
    },
    rename: (id: string, name: string): void => {
      const item = itemAt(id);
      item.name = name;
      touch(item);
    },
    move: (id: string, parentId: string): void => {
      const item = itemAt(id);
      drive.children.get(item.parentId ?? '')?.delete(id);
      drive.children.get(itemAt(parentId).id)?.add(id);
      item.parentId = parentId;
      touch(item);
    },
    remove: (id: string): void => remove(itemAt(id), true),
    /** @returns the id of the permission */
    share: (id: string, grant: GrantSpec, expiresAt: number | null = null): string => {
      const item = itemAt(id);
      const permission: Grant = {
        ...grant,
        id: Buffer.from(`${guidOf(`${id}/${item.grants.length}/${drive.log.length}`)}`).toString('base64url'),
        expiresAt,
      };
      item.grants.push(permission);
      item.shared = drive.log.length;
      sharingChanged(item, grant.to !== 'link');
      return permission.id;
    },
    unshare: (id: string, permissionId: string): void => {
      const item = itemAt(id);
      const removed = item.grants.find((grant) => grant.id === permissionId);
      item.grants = item.grants.filter((grant) => grant.id !== permissionId);
      // Recorded: the annotation of shared changes is not on items from which sharing was taken away.
      item.shared = -1;
      sharingChanged(item, removed?.to !== 'link');
    },
    label: (id: string, labelId: string | null): void => {
      assignLabel(world, itemAt(id), labelId === null ? null : { labelId, method: 'standard' });
    },
    /** The file arrives with a label that another organization gave. */
    labelElsewhere: (id: string, labelId: string, tenantId: string): void => {
      const item = itemAt(id);
      item.foreignLabels.push({ labelId, tenantId });
      item.revision += 1;
      record(world, item);
    },
    lock: (id: string, lock: Lock | null): void => {
      itemAt(id).lock = lock;
    },
    flagMalware: (id: string): void => {
      const item = itemAt(id);
      item.malware = true;
      touch(item);
    },
    refuseContent: (id: string, refused = true): void => {
      itemAt(id).refused = refused;
    },
    /** Delta tokens from before are gone. */
    resync: (resync: Partial<Resync> = {}): void => {
      drive.epoch += 1;
      drive.resync = { ...drive.resync, ...resync };
    },
  };
}

export type Acts = ReturnType<typeof actsOf>;

export function assignLabel(world: DriveWorld, item: Item, label: Item['label']): void {
  item.label = label;
  item.revision += 1;
  item.modifiedAt = world.clock();
  if (world.tenant.quirks.labelChangesContentTag) item.contentRevision += 1;
  record(world, item);
}
