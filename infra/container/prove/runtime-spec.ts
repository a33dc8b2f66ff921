import path from 'node:path';
import type { ImageConfig } from './buildah.ts';
import type { Project, Service } from './compose-file.ts';

/** What an engine gives a container that drops nothing. */
const USUAL_CAPABILITIES = (
  'CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT ' +
  'AUDIT_WRITE'
)
  .split(' ')
  .map((name) => `CAP_${name}`);

const tmpfs = (destination: string, ...options: string[]) => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', ...options],
});
const bind = (source: string, destination: string, mode: 'ro' | 'rw') => ({
  destination,
  type: 'bind',
  source,
  options: ['rbind', mode],
});

/** As an engine mounts it unless the file says otherwise. */
function tmpfsOf(text: string) {
  const [destination = '', options = ''] = text.split(':');
  return tmpfs(
    destination,
    'nodev',
    'noexec',
    'mode=1777',
    ...options.split(',').filter((each) => each !== ''),
  );
}

/** A path begins with a dot or a slash; anything else is the name of a volume. */
function volumeOf(text: string, folder: string, volumes: string) {
  const [source = '', destination = '', mode] = text.split(':');
  const from = /^[./]/.test(source) ? path.resolve(folder, source) : path.join(volumes, source);
  return bind(from, destination, mode === 'ro' ? 'ro' : 'rw');
}

export type Placed = {
  hostname: string;
  rootfs: string;
  image: ImageConfig;
  project: Project;
  service: Service;
  /** The folder of named volumes. */
  volumes: string;
  /** A file that gives all services of the project an address. */
  hosts: string;
  /** In the place of the service's own. */
  command?: readonly string[] | undefined;
};

/** The service as the file describes it, for an OCI runtime. All containers share the network of the proof. */
export function runtimeSpec(placed: Placed): object {
  const { image, service, project } = placed;
  const [uid = 0, gid = 0] = (service.user ?? image.User ?? '').split(':').map(Number);
  const command = placed.command ?? service.command;
  // An entry point of the service takes the place of both of the image.
  const args = [
    ...(service.entrypoint ?? image.Entrypoint ?? []),
    ...(command ?? (service.entrypoint === undefined ? (image.Cmd ?? []) : [])),
  ];
  const capabilities = service.cap_drop.includes('ALL') ? [] : USUAL_CAPABILITIES;
  return {
    ociVersion: '1.0.0',
    hostname: placed.hostname,
    process: {
      user: { uid, gid },
      args,
      env: [
        ...(image.Env ?? []),
        ...Object.entries(service.environment).map(([name, value]) => `${name}=${value}`),
      ],
      cwd: image.WorkingDir || '/',
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
      noNewPrivileges: service.security_opt.length > 0,
    },
    root: { path: placed.rootfs, readonly: service.read_only },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
      tmpfs('/dev', 'strictatime', 'mode=755', 'size=64m'),
      tmpfs('/dev/shm', 'nodev', 'noexec', 'mode=1777', `size=${service.shm_size ?? '64m'}`),
      bind(placed.hosts, '/etc/hosts', 'ro'),
      ...service.secrets.map((name) =>
        bind(path.resolve(project.folder, project.secrets[name]?.file ?? ''), `/run/secrets/${name}`, 'ro'),
      ),
      ...service.volumes.map((text) => volumeOf(text, project.folder, placed.volumes)),
      ...service.tmpfs.map(tmpfsOf),
    ],
    linux: { namespaces: ['mount', 'pid', 'ipc', 'uts'].map((type) => ({ type })) },
  };
}
