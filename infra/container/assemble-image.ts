import { execFile } from 'node:child_process';
import { copyFile, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { IMAGE_FILES, type Image } from './image-files.ts';

const run = promisify(execFile);

/** A bill of materials has some kilobytes for each package. */
const SBOM_MAX_BYTES = 64 * 1024 * 1024;
const SBOM = 'sbom.cdx.json';

/** Entries of `package.json` that only development needs. */
const DEVELOPMENT_ENTRIES = ['devDependencies', 'scripts', 'allowScripts'];

/**
 * Assembles the application folders of images: the files of each, the production dependencies, and a CycloneDX bill of
 * materials of exactly what is installed. All images have the same dependencies, so `npm ci` runs once.
 * @param root the repository
 * @param build the folder that holds `dist/`
 * @param folders the folder to fill for each image, which does not exist yet
 */
export async function assembleImages(
  folders: ReadonlyMap<Image, string>,
  { root, build }: { root: string; build: string },
): Promise<void> {
  const [first, ...others] = folders.values();
  if (first === undefined) return;
  await mkdir(first, { recursive: true });
  await installDependencies(root, first);
  const { stdout: sbom } = await run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    cwd: first,
    maxBuffer: SBOM_MAX_BYTES,
  });
  for (const folder of others) await cp(first, folder, { recursive: true, preserveTimestamps: true });
  const version = (await readFile(path.join(root, 'VERSION'), 'utf8')).trim();
  for (const [image, folder] of folders) {
    for (const pattern of IMAGE_FILES[image]) {
      await copyMatching(pattern, pattern.startsWith('dist/') ? build : root, folder);
    }
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

async function installDependencies(root: string, folder: string): Promise<void> {
  const manifest = path.join(folder, 'package.json');
  const lock = path.join(folder, 'package-lock.json');
  await copyFile(path.join(root, 'package.json'), manifest);
  await copyFile(path.join(root, 'package-lock.json'), lock);
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
  });
  const entries = Object.entries(JSON.parse(await readFile(manifest, 'utf8')) as object);
  const kept = Object.fromEntries(entries.filter(([name]) => !DEVELOPMENT_ENTRIES.includes(name)));
  // With the development entries, `npm sbom --omit=dev` leaves out packages that both need, such as `pg`.
  await writeFile(manifest, `${JSON.stringify(kept, null, 2)}\n`);
  await rm(lock);
}

type Sbom = { metadata: { component: object } };

/** npm names the application after its folder, and knows only versions of three parts. */
function stampedSbom(text: string, image: Image, version: string): string {
  const sbom = JSON.parse(text) as Sbom;
  const name = `data-governance-service-${image}`;
  Object.assign(sbom.metadata.component, { name, version });
  return `${JSON.stringify(sbom)}\n`;
}
