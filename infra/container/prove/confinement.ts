import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Container } from './container.ts';

/** What the kernel says of the first process of a container. Throws unless it is confined as the compose file says. */
export async function confinementOf(container: Container): Promise<string> {
  const { service } = container;
  const proc = `/proc/${await container.pid()}`;
  const status = await readFile(`${proc}/status`, 'utf8');
  const field = (name: string) => status.match(new RegExp(`^${name}:\\s+(\\S+)`, 'm'))?.[1] ?? '';
  const [user] = service.user?.split(':') ?? [];
  const mounts = (await readFile(`${proc}/mounts`, 'utf8')).split('\n').map((line) => line.split(' '));
  const seen = {
    user: field('Uid'),
    capabilities: `${field('CapPrm')} ${field('CapBnd')}`,
    noNewPrivileges: field('NoNewPrivs'),
    root: mounts.find(([, target]) => target === '/')?.[3]?.split(',')[0],
  };
  const none = '0'.repeat(16);
  if (
    seen.user !== user ||
    seen.capabilities !== `${none} ${none}` ||
    seen.noNewPrivileges !== '1' ||
    seen.root !== 'ro'
  ) {
    throw new Error(`${container.name}: ${JSON.stringify(seen)}`);
  }
  const inMemory = await Promise.all(
    service.tmpfs.map(async (text) => {
      const [target = ''] = text.split(':');
      const files = await readdir(`${proc}/root${target}`, { recursive: true });
      return `${files.length} entries in ${target}`;
    }),
  );
  return `user ${user}, no capability, read-only root; ${inMemory.join(', ')}`;
}

/** Attempts to write that a read-only root refuses. */
const REFUSED = /EROFS|read-only file system/i;

/** Throws if a container wrote outside its mounts, or tried to. Only the places of mounts are new to its root. */
export async function refuseTraces(container: Container): Promise<void> {
  const { service } = container;
  const places = [
    ...['proc', 'sys', 'dev', 'dev/shm', 'etc/hosts'],
    ...service.secrets.map((name) => `run/secrets/${name}`),
    ...service.volumes.map((text) => (text.split(':')[1] ?? '').slice(1)),
    ...service.tmpfs.map((text) => (text.split(':')[0] ?? '').slice(1)),
  ];
  const isPlace = (file: string) =>
    places.some((place) => place === file || place.startsWith(`${file}${path.sep}`));
  const traces = (await container.written()).filter((file) => !isPlace(file));
  if (traces.length > 0) throw new Error(`${container.name} has written ${traces.slice(0, 10).join(', ')}`);
  const refused = (await container.output()).split('\n').filter((line) => REFUSED.test(line));
  if (refused.length > 0) throw new Error(`${container.name} tried to write: ${refused[0]}`);
}
