import path from 'node:path';
import { runProgram } from './run-program.ts';

const MINUTES = 60_000;

/** The work folder of a proof holds everything that it makes, so that removing the folder removes it all. */
export type Work = string;

/** With all images and layers in the work folder. STORAGE_DRIVER=vfs helps where the kernel has no overlays. */
const buildah = (work: Work, args: readonly string[], withinMs = 2 * MINUTES): Promise<string> =>
  runProgram(
    'buildah',
    [
      ...['--root', path.join(work, 'storage'), '--runroot', path.join(work, 'storage-run')],
      ...['--storage-driver', process.env.STORAGE_DRIVER ?? 'overlay', ...args],
    ],
    { withinMs, env: { ...process.env, TMPDIR: work } },
  );

type Build = {
  tag: string;
  file: string;
  /** The folder of the context. */
  context: string;
  target?: string;
  args?: Readonly<Record<string, string>>;
};

/** Builds without an engine: steps run in a chroot. `npmrc` is the secret that docs/deployment.md names. */
export async function buildImage(work: Work, npmrc: string, build: Build): Promise<void> {
  await buildah(
    work,
    [
      ...['bud', '--isolation', 'chroot', '--format', 'docker', '--layers', '--pull-never', '--quiet'],
      ...['--tag', build.tag, '--file', build.file],
      ...(build.target === undefined ? [] : ['--target', build.target]),
      ...['--secret', `id=npmrc,src=${npmrc}`],
      ...Object.entries(build.args ?? {}).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      build.context,
    ],
    20 * MINUTES,
  );
}

/** What a container is started with, as the image says. */
export type ImageConfig = {
  User?: string;
  Env?: string[] | null;
  Cmd?: string[] | null;
  Entrypoint?: string[] | null;
  WorkingDir?: string;
  Healthcheck?: { Test: string[] };
};

export type BuiltImage = {
  /** The folder that it is unpacked in. */
  rootfs: string;
  config: ImageConfig;
};

export async function unpackImage(work: Work, tag: string): Promise<BuiltImage> {
  const container = (await buildah(work, ['from', '--pull-never', tag])).trim();
  const rootfs = (await buildah(work, ['mount', container])).trim();
  const { Docker } = JSON.parse(await buildah(work, ['inspect', '--type', 'image', tag])) as {
    Docker: { config: ImageConfig };
  };
  return { rootfs, config: Docker.config };
}
