import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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
 * Assembles the application folder of an image: its files, the production dependencies by `npm ci`, and a CycloneDX
 * bill of materials of exactly what is installed.
 * @param root the repository
 * @param build the folder that holds `dist/`
 * @param folder the folder to fill, which does not exist yet
 */
export async function assembleImage(
  image: Image,
  { root, build, folder }: { root: string; build: string; folder: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const pattern of IMAGE_FILES[image]) {
    await copyMatching(pattern, pattern.startsWith('dist/') ? build : root, folder);
  }
  await installDependencies(root, folder);
  const version = (await readFile(path.join(root, 'VERSION'), 'utf8')).trim();
  const { stdout } = await run('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    cwd: folder,
    maxBuffer: SBOM_MAX_BYTES,
  });
  await writeFile(path.join(folder, SBOM), stampedSbom(stdout, image, version));
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
