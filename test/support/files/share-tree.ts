import { createHash, randomBytes } from 'node:crypto';

/** A file or directory of a share. Names keep their case, and are found without it. */
export type Node = {
  name: string;
  parent: Node | null;
  children: Map<string, Node> | null;
  content: Buffer;
  id: string;
  etag: string;
  createdAt: Date;
  writtenAt: Date;
  changedAt: Date;
  permissionKey: string;
  attributes: string;
  /** A client has it open: `exclusive` lets nobody read it, `writing` has not flushed its size. */
  open: 'exclusive' | 'writing' | null;
};

let made = 0;
const nextId = () => String(0x4000_0000_0000 + ++made);
const nextEtag = () => `"0x8D${(++made).toString(16).toUpperCase().padStart(13, '0')}"`;
let clock = Date.UTC(2026, 10, 5, 10);
/** No two changes have the same time. */
const now = () => {
  clock += 1_000;
  return new Date(clock);
};

export type ShareTree = {
  root: Node;
  policies: Record<string, string>;
  lists: Map<string, string>;
};

export const newShare = (): ShareTree => {
  const tree: ShareTree = { root: node('', null, true), policies: {}, lists: new Map() };
  tree.root.permissionKey = keyOf(tree, 'O:SYG:SYD:(A;;FA;;;SY)');
  return tree;
};

function node(name: string, parent: Node | null, isDirectory: boolean): Node {
  const at = now();
  return {
    name,
    parent,
    children: isDirectory ? new Map() : null,
    content: Buffer.alloc(0),
    id: nextId(),
    etag: nextEtag(),
    createdAt: at,
    writtenAt: at,
    changedAt: at,
    permissionKey: parent?.permissionKey ?? '',
    attributes: isDirectory ? 'Directory' : 'Archive',
    open: null,
  };
}

/** One key for each access list. */
export function keyOf(tree: ShareTree, sddl: string): string {
  const key = `${createHash('sha256').update(sddl).digest('hex').slice(0, 20)}*${tree.lists.size}`;
  for (const [known, list] of tree.lists) if (list === sddl) return known;
  tree.lists.set(key, sddl);
  return key;
}

export function find(tree: ShareTree, path: string): Node | null {
  let at: Node | undefined = tree.root;
  for (const name of path.split('/').filter((part) => part !== ''))
    at = at?.children?.get(name.toLowerCase());
  return at ?? null;
}

export function directory(tree: ShareTree, path: string): Node {
  let at = tree.root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const known = at.children?.get(name.toLowerCase());
    const child = known ?? node(name, at, true);
    at.children?.set(name.toLowerCase(), child);
    at = child;
  }
  return at;
}

export function put(tree: ShareTree, path: string, content: Buffer, sddl?: string): void {
  const at = path.lastIndexOf('/');
  const parent = directory(tree, at === -1 ? '' : path.slice(0, at));
  const name = path.slice(at + 1);
  const file = parent.children?.get(name.toLowerCase()) ?? node(name, parent, false);
  parent.children?.set(name.toLowerCase(), file);
  file.content = content;
  if (sddl !== undefined) file.permissionKey = keyOf(tree, sddl);
  Object.assign(file, { writtenAt: now(), changedAt: now(), etag: nextEtag() });
}

/** A rename keeps the id and the time of the last write, as the service does. */
export function rename(tree: ShareTree, from: string, name: string): string {
  const file = find(tree, from);
  if (file?.parent?.children === undefined || file.parent.children === null)
    throw new Error('There is no such file.');
  file.parent.children.delete(file.name.toLowerCase());
  file.name = name;
  file.parent.children.set(name.toLowerCase(), file);
  Object.assign(file, { changedAt: now(), etag: nextEtag() });
  const at = from.lastIndexOf('/');
  return `${from.slice(0, at + 1)}${name}`;
}

export function remove(tree: ShareTree, path: string): void {
  const file = find(tree, path);
  file?.parent?.children?.delete(file.name.toLowerCase());
}

export const newSecret = () => randomBytes(64).toString('base64');
