import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

export type Recording = {
  request: { method: string; url: string; body: unknown };
  status: number;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** A recording of a file, or why it is none. */
export type Read = { file: string } & ({ recording: Recording } | { notReplayed: string });

const Request = z.union([
  z.string().transform((text) => {
    const line = text.trim().replace(/\s+HTTP\/[\d.]+$/, '');
    const [, method = 'GET', url = line] = /^([A-Za-z]+)\s+(.+)$/s.exec(line) ?? [];
    return { method, url, body: undefined as unknown };
  }),
  z.object({ method: z.string().default('GET'), url: z.string(), body: z.unknown().optional() }),
]);
const Recorded = z.object({
  request: Request,
  status: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.unknown()).nullish().catch(null),
  body: z.unknown().optional(),
});

/** The recordings of a folder, in the order of their files. Null without such a folder. */
export async function readRecordings(folder: string): Promise<Read[] | null> {
  const names = await readdir(folder, { recursive: true }).catch(() => null);
  if (names === null) return null;
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return (await Promise.all(files.map((file) => readFileOf(folder, file)))).flat();
}

async function readFileOf(folder: string, file: string): Promise<Read[]> {
  try {
    const text = (await readFile(path.join(folder, file), 'utf8')).replace(/^\uFEFF/, '');
    const content: unknown = JSON.parse(text);
    const entries = Array.isArray(content) ? content : [content];
    if (entries.length === 0) return [{ file, notReplayed: 'The list is empty.' }];
    return entries.map((entry) => ({ file, ...recordingOf(entry) }));
  } catch (error) {
    return [{ file, notReplayed: String(error) }];
  }
}

function recordingOf(entry: unknown): { recording: Recording } | { notReplayed: string } {
  const { data, error } = Recorded.safeParse(entry);
  if (data === undefined) return { notReplayed: z.prettifyError(error) };
  const { request, status, headers, body } = data;
  return {
    recording: {
      request: { method: request.method.toUpperCase(), url: request.url, body: parsed(request.body) },
      status,
      headers: inLowerCase(headers ?? {}),
      body,
    },
  };
}

export const inLowerCase = (headers: Readonly<Record<string, unknown>>): Recording['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/** The body of a request may be kept as the text that was sent. */
function parsed(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : body;
  } catch {
    return body;
  }
}

/** The origin of the address in lower case, and its path. Both may have placeholders, so an address need not be a URL. */
export function addressOf({ request }: Recording): { origin: string; path: string; query: URLSearchParams } {
  const [, origin = '', rest = '', query = ''] =
    /^(https?:\/\/[^/?#]*)?\/?([^?#]*)(?:\?([^#]*))?/i.exec(request.url) ?? [];
  const path = `/${rest}`.split('/').map(decoded).join('/');
  return { origin: origin.toLowerCase(), path, query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
