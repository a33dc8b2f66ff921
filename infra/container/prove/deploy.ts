import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BuiltImage } from './buildah.ts';
import { endAfter } from './claims.ts';
import { tryDevelopment } from './try-development.ts';
import { tryProduction } from './try-production.ts';

/*
 * The second half of prove.sh, in a network of its own: what the README's third command starts, then a deployment in
 * production mode.
 */
const [work = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const images = new Map<string, BuiltImage>(
    JSON.parse(await readFile(path.join(work, 'images.json'), 'utf8')) as [string, BuiltImage][],
  );
  await tryDevelopment(work, images);
  await tryProduction(work, images);
}

await main().catch(endAfter);
