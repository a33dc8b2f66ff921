import { createHash } from 'node:crypto';

/** A person: of the enterprise, or of another one. */
export type FakeUser = { id: string; name: string; login: string; isOurs: boolean; jobTitle?: string };
export type FakeGroup = {
  id: string;
  name: string;
  isAllUsers: boolean;
  members: string[];
  admins: string[];
};

export type FakeLink = {
  access: 'open' | 'company' | 'collaborators';
  /** What the rules of the enterprise leave of it; by default all. */
  effective?: 'open' | 'company' | 'collaborators';
  permission?: 'can_edit' | 'can_download' | 'can_preview' | 'no_access';
  password?: boolean;
  unsharedAt?: string;
};

export type FakeCollaboration = {
  id: string;
  role: string;
  status: 'accepted' | 'pending' | 'rejected';
  userId?: string;
  groupId?: string;
  inviteEmail?: string;
  expiresAt?: string;
  isAccessOnly?: boolean;
};

export type FakeItem = {
  type: 'file' | 'folder' | 'web_link';
  id: string;
  name: string;
  /** `0` is the root of the owner. */
  parentId: string;
  ownerId: string;
  etag: number;
  sequence: number;
  bytes: Buffer;
  versionId: string;
  createdAt: string;
  modifiedAt: string;
  modifiedBy: string;
  classification: string | null;
  link: FakeLink | null;
  collaborations: FakeCollaboration[];
  trashed: boolean;
  lockedUntil: string | null;
  isWatermarked: boolean;
  canDownload: boolean;
  /** What refuses the content. */
  policy: 'access_policy' | 'malware' | null;
  /** How often the content is not ready yet. */
  unready: number;
};

export type FakeEvent = { id: string; type: string; at: string; actor: string; source: object | null };

/** Box writes positions as numbers that no double holds. */
const FIRST_POSITION = 1_152_923_110_369_165_138n;

/** An enterprise of Box with its people, items and events. People change it by its members. */
export class BoxWorld {
  readonly enterprise = { id: '77001', name: 'Nordwind' };
  readonly users = new Map<string, FakeUser>();
  readonly groups = new Map<string, FakeGroup>();
  readonly items = new Map<string, FakeItem>();
  readonly classifications = ['Public', 'Internal', 'Confidential'];
  /** As they are delivered: some twice, some before an earlier one. */
  readonly stream: FakeEvent[] = [];
  /** Events that were delivered to somebody keep their place. */
  #delivered = 0;
  #made = 0;

  constructor() {
    this.addUser('101', 'Ada Ames', 'ada@nordwind.example');
    this.addUser('102', 'Ben Bode', 'ben@nordwind.example');
    this.addUser('201', 'Uma Unger', 'uma@partner.example', false);
    this.addUser('900', 'Data governance', 'AutomationUser_900@boxdevedition.com');
  }

  addUser(id: string, name: string, login: string, isOurs = true): FakeUser {
    const user = { id, name, login, isOurs };
    this.users.set(id, user);
    return user;
  }

  addGroup(id: string, name: string, members: string[], isAllUsers = false, admins: string[] = []): void {
    this.groups.set(id, { id, name, members, isAllUsers, admins });
  }

  nextId = (): string => String(1_000_000_000 + ++this.#made);

  item(type: FakeItem['type'], id: string): FakeItem {
    const found = this.items.get(`${type}/${id}`);
    if (found === undefined) throw new Error(`There is no ${type} ${id}`);
    return found;
  }

  #add(type: FakeItem['type'], name: string, parentId: string, more: Partial<FakeItem>): FakeItem {
    const at = new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
    const parent = parentId === '0' ? null : this.item('folder', parentId);
    const ownerId = more.ownerId ?? parent?.ownerId ?? '101';
    const made: FakeItem = {
      ...{ type, id: this.nextId(), name, parentId, ownerId, etag: 0, sequence: 0, bytes: Buffer.alloc(0) },
      ...{ versionId: this.nextId(), createdAt: at, modifiedAt: at, modifiedBy: ownerId },
      ...{ classification: null, link: null, collaborations: [], trashed: false, lockedUntil: null },
      ...{ isWatermarked: false, canDownload: true, policy: null, unready: 1 },
      ...more,
    };
    this.items.set(`${type}/${made.id}`, made);
    return made;
  }

  addFolder(name: string, parentId = '0', more: Partial<FakeItem> = {}): string {
    const folder = this.#add('folder', name, parentId, more);
    this.emit('ITEM_CREATE', folder);
    return folder.id;
  }

  addFile(name: string, parentId: string, content: string | Buffer, more: Partial<FakeItem> = {}): string {
    const file = this.#add('file', name, parentId, { ...more, bytes: Buffer.from(content) });
    this.emit('UPLOAD', file);
    return file.id;
  }

  addWebLink(name: string, parentId: string): string {
    return this.#add('web_link', name, parentId, {}).id;
  }

  #changed(item: FakeItem): void {
    item.etag += 1;
    item.sequence += 1;
    item.modifiedAt = new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
  }

  edit(id: string, content: string | Buffer): void {
    const file = this.item('file', id);
    Object.assign(file, { bytes: Buffer.from(content), versionId: this.nextId(), unready: 1 });
    this.#changed(file);
    this.emit('EDIT', file);
  }

  rename(type: FakeItem['type'], id: string, name: string): void {
    const item = this.item(type, id);
    item.name = name;
    this.#changed(item);
    this.emit('RENAME', item);
  }

  move(type: FakeItem['type'], id: string, parentId: string): void {
    const item = this.item(type, id);
    item.parentId = parentId;
    this.#changed(item);
    this.emit('MOVE', item);
  }

  remove(type: FakeItem['type'], id: string): void {
    const item = this.item(type, id);
    item.trashed = true;
    this.#changed(item);
    this.emit('DELETE', item);
  }

  restore(type: FakeItem['type'], id: string): void {
    this.item(type, id).trashed = false;
    this.emit('UNDELETE', this.item(type, id));
  }

  /** A link moves no counter of the item. */
  share(type: FakeItem['type'], id: string, link: FakeLink | null): void {
    const item = this.item(type, id);
    item.link = link;
    this.emit(link === null ? 'UNSHARE' : 'SHARE', item);
  }

  /** Nor does a collaboration. */
  invite(
    type: FakeItem['type'],
    id: string,
    who: Omit<FakeCollaboration, 'id' | 'status'> & { status?: FakeCollaboration['status'] },
  ): string {
    const item = this.item(type, id);
    const collaboration = { id: this.nextId(), status: 'accepted' as const, ...who };
    item.collaborations.push(collaboration);
    this.emitCollaboration('COLLABORATION_INVITE', item);
    return collaboration.id;
  }

  classify(id: string, classification: string | null): void {
    const file = this.item('file', id);
    const type = classification === null ? 'METADATA_INSTANCE_DELETE' : 'METADATA_INSTANCE_UPDATE';
    file.classification = classification;
    this.emit(type, file);
  }

  /** Whether it, or a folder above it, is in the trash. */
  isTrashed(item: FakeItem): boolean {
    return [item, ...this.above(item)].some(({ trashed }) => trashed);
  }

  /** The folders above an item, the nearest first, without the root. */
  above(item: FakeItem): FakeItem[] {
    const folders: FakeItem[] = [];
    for (let at = item; at.parentId !== '0'; ) {
      at = this.item('folder', at.parentId);
      folders.push(at);
    }
    return folders;
  }

  sha1(item: FakeItem): string {
    return createHash('sha1').update(item.bytes).digest('hex');
  }

  /** Events about sharing name the item in another way. */
  emitCollaboration(type: string, item: FakeItem): void {
    const { id, name } = item;
    const named =
      item.type === 'file' ? { file_id: id, file_name: name } : { folder_id: id, folder_name: name };
    this.emitRaw(type, { ...named, parent: this.#parentOf(item) });
  }

  emit(type: string, item: FakeItem): void {
    if (item.type === 'web_link') return;
    const owner = this.users.get(item.ownerId);
    this.emitRaw(type, {
      item_type: item.type,
      item_id: item.id,
      item_name: item.name,
      parent: this.#parentOf(item),
      ...(owner && { owned_by: { type: 'user', id: owner.id, name: owner.name, login: owner.login } }),
    });
  }

  #parentOf({ parentId }: FakeItem) {
    if (parentId === '0') return { type: 'folder', id: '0', name: 'All Files' };
    return { type: 'folder', id: parentId, name: this.item('folder', parentId).name };
  }

  /** Every second event comes twice, and every third before the one before it. */
  emitRaw(type: string, source: object | null): void {
    const event = {
      id: createHash('sha1')
        .update(`event ${++this.#made}`)
        .digest('hex'),
      type,
      at: new Date().toISOString().replace(/\.\d+Z$/, '+00:00'),
      actor: '101',
      source,
    };
    const at = this.#made % 3 === 0 && this.stream.length > this.#delivered ? -1 : this.stream.length;
    this.stream.splice(at, 0, event);
    if (this.#made % 2 === 0) this.stream.push(event);
  }

  /** `now`, or a position that was given before. Null for what is none. */
  placeIn(position: string): number | null {
    if (position === 'now') {
      this.#delivered = this.stream.length;
      return this.stream.length;
    }
    if (!/^\d{1,30}$/.test(position)) return null;
    const at = BigInt(position) - FIRST_POSITION;
    // Box begins with the oldest event that it has, and says nothing.
    return Math.min(this.stream.length, Math.max(0, Number(at)));
  }

  positionOf = (place: number): string => String(FIRST_POSITION + BigInt(place));

  deliver(from: number, count: number): FakeEvent[] {
    const events = this.stream.slice(from, from + count);
    this.#delivered = Math.max(this.#delivered, from + events.length);
    return events;
  }
}
