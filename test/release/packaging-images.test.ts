import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadFunctions } from '../../docs/load-functions.ts';
import { assembleImages } from '../../infra/container/assemble-image.ts';
import { IMAGES, type Image } from '../../infra/container/image-files.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { compile } from '../support/build.ts';
import { builtSignals, builtTexts } from '../support/built-threads.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { boxOf } from '../support/documents/boxes.ts';
import { xlsx } from '../support/documents/packages.ts';
import { pdfOf } from '../support/documents/pdf.ts';
import { bmpOf, drawn, type Picture } from '../support/documents/picture.ts';

const root = path.resolve(import.meta.dirname, '../..');
const MIB = 1024 * 1024;

let work: string;
let database: TestDatabase;
let storage: LocalStorage;

/** The builds of the service and of the console, on a machine that does something else meanwhile. */
const ASSEMBLED_WITHIN_MS = 300_000;

// Far from the repository, so that nothing of it is found by accident.
beforeAll(async () => {
  work = mkdtempSync(path.join(tmpdir(), 'images-'));
  await compile(path.join(work, 'build/dist'), { withConsole: true });
  const folders = new Map(IMAGES.map((image) => [image, folderOf(image)]));
  await assembleImages(folders, { root, build: path.join(work, 'build') });
  [database, storage] = await Promise.all([
    createTestDatabase(),
    startAzurite({ inMemory: true, log: () => undefined }),
  ]);
}, ASSEMBLED_WITHIN_MS);
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await Promise.all([database?.drop(), storage?.stop()]);
  rmSync(work, { recursive: true, force: true });
});

const folderOf = (image: Image) => path.join(work, image);

/** Files below a folder, without the dependencies. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('node_modules') && statSync(path.join(folder, file)).isFile())
    .sort();

const sources = (folder: string, extension: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .map((file) => path.posix.join(folder, file));

type LockEntry = { dev?: boolean; optional?: boolean; version: string };
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockEntry>;
};
/** A PDF of a page that shows a picture and has no words of its own. */
function scanOf({ width, height, grey }: Picture): Uint8Array {
  const dictionary = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8`;
  const page = { content: 'q 520 0 0 105 20 400 cm /Im1 Do Q' };
  // The picture is the object after the page and its content.
  const text = Buffer.from(pdfOf([page], { objects: [{ dictionary, stream: grey }] })).toString('latin1');
  const shown = text.replace(/\/Annots\[.*?\]\/Resources<</, '/Resources<</XObject<</Im1 6 0 R>>');
  return Buffer.from(shown, 'latin1');
}

const packageName = (place: string) =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
const production = Object.entries(lock.packages).filter(([place, { dev }]) => place !== '' && dev !== true);

/** The environment of a container: nothing of the machine, and the settings of the service. */
const environment = () => ({
  PATH: process.env.PATH,
  HOME: work,
  TMPDIR: work,
  SVC_ENV: 'production',
  SVC_SESSION_SECRET: 'a-session-secret-of-its-own',
  SVC_DATABASE_URL: database.url,
  SVC_MIGRATION_DATABASE_URL: database.ownerUrl,
  AzureWebJobsStorage: storage.connectionString,
});

describe.each(IMAGES)('the %s image', (image) => {
  test('has exactly the files of its list, and what npm makes', () => {
    const built = filesIn(path.join(work, 'build/dist')).filter((file) =>
      image === 'host' ? !file.startsWith('infra/') : /^(?:chunks|core)\/|^licences/.test(file),
    );
    const expected = [
      ...built.map((file) => `dist/${file}`),
      ...sources('migrations', '.sql'),
      'migrations/effects.json',
      'package.json',
      'sbom.cdx.json',
    ];
    if (image === 'host') expected.push('host.json');
    expect(expected.includes('dist/web/index.html.br')).toBe(image === 'host');
    expect(expected.filter((file) => /^dist\/chunks\/.*\.js\.map$/.test(file)).length).toBeGreaterThan(50);
    expect(filesIn(folderOf(image))).toEqual(expected.sort());
  });

  test('has nothing of the fixture company', () => {
    const folder = folderOf(image);
    expect(existsSync(path.join(root, 'infra/local/fixture/fixture-company.ts'))).toBe(true);
    expect(filesIn(folder).filter((file) => file.startsWith('dist/infra'))).toEqual([]);
    const naming = filesIn(folder).filter((file) =>
      /nordwind|pri_priya_nair/i.test(readFileSync(path.join(folder, file), 'utf8')),
    );
    expect(naming).toEqual([]);
  });

  test('has nothing of packages but what is read by name, with its licence', () => {
    const folder = path.join(folderOf(image), 'node_modules');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const manifests = files.filter((file) => path.basename(file) === 'package.json').map(path.dirname);
    expect(manifests.sort()).toEqual([
      '@cspell/dict-people-names',
      '@embedpdf/pdfium',
      '@tesseract.js-data/eng',
      'libarchive-wasm',
      'tesseract.js-core',
    ]);
    const bytes = files.map((file) => statSync(path.join(folder, file))).filter((file) => file.isFile());
    expect(bytes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(20 * MIB);
  });

  test('reads with them: an archive, pictures, a PDF of pictures, a sheet, a page', async () => {
    const picture = drawn('THE LOCAL HOTEL');
    const date = '<row><c s="1"><v>45000</v></c></row>';
    const styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const texts = await builtTexts(path.join(folderOf(image), 'dist'), [
      { name: 'a.7z', bytes: await boxOf('a.7z', { 'note.txt': 'packed by another program' }) },
      { name: 'a.bmp', bytes: bmpOf(picture) },
      { name: 'a.pdf', bytes: scanOf(picture) },
      { name: 'a.xlsx', bytes: xlsx(date, { 'xl/styles.xml': styles }) },
      { name: 'a.html', bytes: Buffer.from('<p>Dear <b>reader</b></p><script>hidden</script>') },
    ]);
    expect(texts).toEqual([
      expect.stringContaining('packed by another program'),
      'THE LOCAL HOTEL',
      expect.stringContaining('THE LOCAL HOTEL'),
      expect.stringContaining('2023'),
      'Dear reader',
    ]);
    const text = 'Please pay Ms Margaret Thompson, +49 30 901820, to IBAN DE89 3704 0044 0532 0130 00';
    const signals = await builtSignals(path.join(folderOf(image), 'dist'), text);
    expect(signals).toEqual(['iban', 'person_name', 'phone_number']);
  });

  test('has a bill of materials of every package, with the release', () => {
    const sbom = JSON.parse(readFileSync(path.join(folderOf(image), 'sbom.cdx.json'), 'utf8'));
    const named = (sbom.components as { name: string; version: string; group?: string }[]).map(
      ({ name, version }) => `${name}@${version}`,
    );
    const required = production.filter(([, { optional }]) => optional !== true);
    expect(named).toEqual(
      expect.arrayContaining(required.map(([place, { version }]) => `${packageName(place)}@${version}`)),
    );
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: {
        component: {
          type: 'application',
          name: `data-governance-service-${image}`,
          version: readFileSync(path.join(root, 'VERSION'), 'utf8').trim(),
        },
      },
    });
  });

  test('stays within its size beside the base image', () => {
    const [kib] = execFileSync('du', ['-sk', folderOf(image)], { encoding: 'utf8' }).split('\t');
    expect(Number(kib) * 1024).toBeLessThan((image === 'host' ? 70 : 60) * MIB);
  });
});

test('the host image serves from a clean folder, ends and writes nothing into it', async () => {
  const before = snapshot('host');
  const child = started([path.join(root, 'test/support/image-host.ts'), folderOf('host')], 'host');
  const { url, functions } = JSON.parse(await firstLine(child, (line) => line.startsWith('{"url"')));
  expect(functions).toBe((await loadFunctions()).app.functions.size);
  expect(await (await fetch(`${url}/api/health`)).json()).toEqual({ status: 'ok' });
  const ready = await fetch(`${url}/api/ready`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ status: 'ok', dbOk: true, env: 'production' });
  expect((await fetch(`${url}/api/assets`)).status).toBe(401);
  expect((await fetch(`${url}/api/docs`)).status).toBe(200);
  expect(await ended(child)).toBe(0);
  expect(snapshot('host')).toEqual(before);
});

test('the worker image works from a clean folder, ends and writes nothing into it', async () => {
  const before = snapshot('worker');
  const child = started(['dist/core/commands/worker.js'], 'worker');
  await firstLine(child, (line) => line.includes('worker_started'));
  expect(await ended(child)).toBe(0);
  expect(snapshot('worker')).toEqual(before);
});

test.each([
  ['migrate', [], 'The schema is up to date.'],
  ['migrate', ['--plan'], 'Nothing to do'],
  ['tenant', ['init', 'acme', '--name', 'Acme', '--issuer', 'https://idp.example'], 'Created acme'],
  ['doctor', ['--only', 'database,processes'], '✓ processes.extraction'],
  ['audit-verify', ['--help'], 'npm run audit:verify'],
  ['audit-resume', ['--help'], 'npm run audit:resume'],
])('the worker image runs the command %s %j', async (command, args, said) => {
  const file = `dist/core/commands/${command}.js`;
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
    cwd: folderOf('worker'),
    env: environment(),
  });
  expect(stdout).toContain(said);
});

test('the development tenant is created once, and never for production', async () => {
  const seed = (settings: Record<string, string>) =>
    promisify(execFile)(process.execPath, [path.join(root, 'infra/compose/seed-development-tenant.ts')], {
      env: { ...environment(), ...settings },
    });
  await expect(seed({})).rejects.toThrow('SVC_ENV=development');
  expect((await seed({ SVC_ENV: 'development' })).stdout).toContain('is created');
  expect((await seed({ SVC_ENV: 'development' })).stdout).toContain('already');
});

/** Files with the time of their last change, dependencies too: Node and packages may keep caches. */
const snapshot = (image: Image): string[] =>
  readdirSync(folderOf(image), { recursive: true, encoding: 'utf8' }).map(
    (file) => `${file} ${statSync(path.join(folderOf(image), file)).mtimeMs}`,
  );

function started(args: string[], image: Image): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: folderOf(image),
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** The first line of its output that fits. Throws if the process ends before. */
async function firstLine(child: ChildProcess, fits: (line: string) => boolean): Promise<string> {
  if (child.stdout === null) throw new Error('The output of the process is not read.');
  for await (const line of createInterface({ input: child.stdout })) if (fits(line)) return line;
  throw new Error('The process ended without the line.');
}

/** Asks the process to end, and returns its exit code. */
async function ended(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  return code as number | null;
}
