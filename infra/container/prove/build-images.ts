import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuiltImage, buildImage, unpackImage } from './buildah.ts';
import { endAfter, measured, proved } from './claims.ts';
import { readProject, type Service } from './compose-file.ts';
import { runProgram } from './run-program.ts';
import { buildStandIns, makeNpmrc, STAND_INS, standInFor } from './stand-ins.ts';

/*
 * The first half of prove.sh, with the network of this machine: the README's first two commands, and the images that the
 * third builds. It leaves them unpacked, listed in WORK/images.json.
 */
const root = path.resolve(import.meta.dirname, '../../..');
const [work = ''] = process.argv.slice(2);
const MINUTES = 60_000;

/** Of what is deployed, unpacked beside its base, in MiB. */
const LIMITS: Readonly<Record<string, number>> = {
  'data-governance-service-worker': 60,
  'data-governance-service-host': 70,
};

async function main(): Promise<void> {
  console.log('Stand-ins, because images of a registry and an engine cannot be had here:');
  for (const [image, { is }] of Object.entries(STAND_INS)) console.log(`  ${image}: ${is}`);
  console.log('  docker compose: this proof, which reads compose.yaml and starts its services with crun\n');
  const clone = path.join(work, 'development');
  await proved(
    'README 1, git clone',
    () => git('clone', '--quiet', `file://${root}`, clone),
    () => 'all that is committed',
  );
  const changed = await git('-C', root, 'status', '--porcelain', '--untracked-files=no');
  if (changed !== '') console.log('       (what is not committed is not in it)');
  const prepare = path.join(clone, 'infra/compose/prepare.sh');
  await proved('README 2, prepare.sh --development', () =>
    runProgram(prepare, ['--development'], { withinMs: MINUTES }),
  );
  const npmrc = await makeNpmrc(work);
  await proved('stand-ins are built', () => buildStandIns(work, root, npmrc));
  const images = new Map<string, BuiltImage>();
  // What prepare.sh --development chose, and what a deployment has.
  for (const envFile of ['.env', '.env.example']) {
    const { services, folder } = await readProject(path.join(clone, 'infra/compose/compose.yaml'), envFile);
    for (const service of services.values()) {
      const { image } = service;
      if (!images.has(image)) images.set(image, await builtImage(service, folder, npmrc));
    }
  }
  await writeFile(path.join(work, 'images.json'), JSON.stringify([...images]));
}

const git = (...args: string[]) => runProgram('git', args, { withinMs: 5 * MINUTES });

/** Builds the image of a service on the stand-ins of its bases, or takes the stand-in of an image of others. */
async function builtImage({ image, build }: Service, folder: string, npmrc: string) {
  if (build === undefined) return unpackImage(work, standInFor(image));
  const context = path.resolve(folder, build.context);
  const file = path.join(context, build.dockerfile);
  const bases = Object.fromEntries(
    [...(await readFile(file, 'utf8')).matchAll(/^ARG (BUILD|BASE)=(\S+)$/gm)].map(
      ([, arg = '', base = '']) => [arg, standInFor(base)],
    ),
  );
  const { target, args } = build;
  const tag = `localhost/${image}`;
  await proved(`README 3, --build: ${image}`, () =>
    buildImage(work, npmrc, {
      ...{ tag, file, context, args: { ...args, ...bases } },
      ...(target !== undefined && { target }),
    }),
  );
  const built = await unpackImage(work, tag);
  const limit = LIMITS[image];
  if (limit !== undefined) {
    const base = await unpackImage(work, bases.BASE ?? '');
    const size = (await sizeOf(built.rootfs)) - (await sizeOf(base.rootfs));
    measured(`size of the image ${image}, unpacked beside its base`, size, { limit, unit: 'MiB' });
  }
  return built;
}

/** In MiB. */
async function sizeOf(folder: string): Promise<number> {
  const [kib] = (await runProgram('du', ['-sk', folder], { withinMs: 5 * MINUTES })).split('\t');
  return Number(kib) / 1024;
}

await main().catch(endAfter);
