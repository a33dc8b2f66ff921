import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { IMAGE_FILES, type Image, PACKAGE_FILES } from './image-files.ts';

const run = promisify(execFile);

/** A bill of materials has some kilobytes for each package. */
const SBOM_MAX_BYTES = 64 * 1024 * 1024;
const SBOM = 'sbom.cdx.json';
const SBOM_FORMAT = ['--sbom-format=cyclonedx', '--sbom-type=application'];
const MANIFEST = 'package.json';
const LOCK = 'package-lock.json';

/** Entries of `package.json` that only development needs. */
const DEVELOPMENT_ENTRIES = ['devDependencies', 'scripts', 'allowScripts'];

/**
 * Assembles the application folders of images: the files of each, those of packages, and a CycloneDX bill of materials of
 * all production dependencies: most are part of the build.
 * @param root the repository, with its packages
 * @param build the folder that holds `dist/`
 * @param folders the folder to fill for each image, which does not exist yet
 */
export async function assembleImages(
  folders: ReadonlyMap<Image, string>,
  { root, build }: { root: string; build: string },
): Promise<void> {
  const { manifest, sbom } = await productionOf(root);
  const version = (await readFile(path.join(root, 'VERSION'), 'utf8')).trim();
  for (const [image, folder] of folders) {
    for (const pattern of [...IMAGE_FILES[image], ...PACKAGE_FILES]) {
      await copyMatching(pattern, pattern.startsWith('dist/') ? build : root, folder);
    }
    await writeFile(path.join(folder, MANIFEST), manifest);
    await writeFile(path.join(folder, SBOM), stampedSbom(sbom, image, version));
  }
}

/** Throws if nothing matches: a file of the list is missing then. */
async function copyMatching(pattern: string, from: string, to: string): Promise<void> {
  let copied = 0;
  for await (const file of glob(pattern, { cwd: from })) {
    const target = path.join(to, file);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(path.join(from, file), target);
    copied++;
  }
  if (copied === 0) throw new Error(`No file matches ${pattern} of the list of the image.`);
}

type Lock = { packages: Record<string, { dev?: boolean; devDependencies?: object }> };

/** The manifest without what only development needs, and a bill of what it needs, as npm reads it from the lock file. */
async function productionOf(root: string): Promise<{ manifest: string; sbom: string }> {
  const read = async <T>(file: string) => JSON.parse(await readFile(path.join(root, file), 'utf8')) as T;
  const entries = Object.entries(await read<object>(MANIFEST));
  const manifest = text(Object.fromEntries(entries.filter(([name]) => !DEVELOPMENT_ENTRIES.includes(name))));
  const lock = await read<Lock>(LOCK);
  const packages = Object.entries(lock.packages).flatMap(([place, { devDependencies: _, ...entry }]) =>
    entry.dev === true ? [] : [[place, entry]],
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'sbom-'));
  try {
    await writeFile(path.join(folder, MANIFEST), manifest);
    // With the packages of development, `npm sbom --omit=dev` leaves out those that both need, such as `pg`.
    await writeFile(path.join(folder, LOCK), text({ ...lock, packages: Object.fromEntries(packages) }));
    const { stdout: sbom } = await run('npm', ['sbom', '--package-lock-only', ...SBOM_FORMAT], {
      cwd: folder,
      maxBuffer: SBOM_MAX_BYTES,
    });
    return { manifest, sbom };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const text = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

type Sbom = { metadata: { component: object } };

/** npm names the application after its folder, and knows only versions of three parts. */
function stampedSbom(bill: string, image: Image, version: string): string {
  const sbom = JSON.parse(bill) as Sbom;
  const name = `data-governance-service-${image}`;
  Object.assign(sbom.metadata.component, { name, version });
  return `${JSON.stringify(sbom)}\n`;
}
