import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import nodeModule from 'node:module';
import path from 'node:path';
import type { Capability } from '../authz/capabilities.ts';
import { acceptedEncoding } from './representation.ts';

/** A file of the console as one encoding sends it. */
type Form = { readonly etag: string; readonly body: Uint8Array };

/** A file of the console. The compressed forms are made by the build, and absent where they would not be smaller. */
export type ConsoleFile = {
  readonly contentType: string;
  /** Its name has a hash of its content, so that a browser may keep it for ever. */
  readonly isHashed: boolean;
  readonly forms: { readonly identity: Form; readonly br?: Form; readonly gzip?: Form };
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Files in this folder have hashed names. */
export const HASHED = 'static/';

/** Pages of views, with what each needs first, for people with a session. */
export const VIEW_PAGES = 'views/';

/** What a view reads of the API first, and the capability to read it. */
type View = {
  readonly path: string;
  readonly reads: readonly string[];
  readonly capability: Capability | null;
};

/** The views with a page of their own. `path` is the route of the view. */
export const VIEWS = {
  home: { path: '', reads: ['/api/home'], capability: null },
  review: { path: 'review', reads: ['/api/review/queue'], capability: 'review.read' },
  assets: { path: 'assets', reads: ['/api/assets', '/api/assets/facets'], capability: 'asset.metadata.read' },
  findings: {
    path: 'findings',
    reads: ['/api/findings/by-asset', '/api/findings/facets'],
    capability: 'finding.read',
  },
} as const satisfies Readonly<Record<string, View>>;

/** Where `npm run build` puts the console: in the package that holds this module. */
export function consoleFolder(): string {
  const manifest = nodeModule.findPackageJSON('..', import.meta.url);
  if (manifest === undefined) throw new Error('Could not find the package.json of this module');
  return path.join(path.dirname(manifest), 'dist/web');
}

/** Reads every file of the console, by its path with slashes. Null if the console is not built. */
export async function readConsole(
  folder: string = consoleFolder(),
): Promise<ReadonlyMap<string, ConsoleFile> | null> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const contentType = MEDIA_TYPES[path.extname(name)];
    if (contentType === undefined) continue;
    const compressed = (ending: string) =>
      names.includes(`${name}${ending}`) ? formOf(folder, `${name}${ending}`) : undefined;
    const [identity, br, gzip] = await Promise.all([
      formOf(folder, name),
      compressed('.br'),
      compressed('.gz'),
    ]);
    const slashed = name.split(path.sep).join('/');
    files.set(slashed, {
      contentType,
      isHashed: slashed.startsWith(HASHED),
      forms: { identity, ...(br && { br }), ...(gzip && { gzip }) },
    });
  }
  return files.has('index.html') ? files : null;
}

async function formOf(folder: string, name: string): Promise<Form> {
  const body = await readFile(path.join(folder, name));
  // The hash of the bytes that are sent, so each encoding has its own.
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
}

/** What this caller receives of a file: the encoding that it prefers, and no body if it has that already. */
export function formFor(
  { forms }: ConsoleFile,
  headers: { acceptEncoding: string | null; ifNoneMatch: string | null },
): { encoding: 'br' | 'gzip' | null; form: Form; isKnown: boolean } {
  const wanted = acceptedEncoding(headers.acceptEncoding);
  const compressed = wanted === null ? undefined : forms[wanted];
  const form = compressed ?? forms.identity;
  const known = (headers.ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return {
    form,
    encoding: compressed === undefined ? null : wanted,
    isKnown: known.includes(form.etag) || known.includes('*'),
  };
}
