import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Recording, replayed } from './replay-recording.ts';

const USAGE = `node test/support/graph/replay.ts FOLDER

Gives each recorded answer of Microsoft Graph in FOLDER to the connector, and prints what the connector made of it, one
line of JSON for each. A file holds { request, status, headers, body }, or a list of them; request is a text
("GET https://...") or { method, url, headers, body }. Nothing is sent anywhere.`;

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

/** A recording as its file has it. Throws if it is none. */
function recordingOf(entry: unknown): Recording {
  const { request, status, headers, body } = Recorded.parse(entry);
  return {
    request: { method: request.method.toUpperCase(), url: request.url, body: parsed(request.body) },
    status,
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body,
  };
}

/** The body of a request may be kept as the text that was sent. */
function parsed(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : body;
  } catch {
    return body;
  }
}

async function lineOf(entry: unknown): Promise<object> {
  try {
    return await replayed(recordingOf(entry));
  } catch (error) {
    return { notReplayed: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, ...others] = positionals;
const names =
  folder === undefined || others.length > 0
    ? null
    : await readdir(folder, { recursive: true }).catch(() => null);
if (folder === undefined || names === null) {
  console.error(USAGE);
  process.exit(2);
}
for (const file of names.filter((name) => name.endsWith('.json')).sort()) {
  try {
    const content: unknown = JSON.parse(
      (await readFile(path.join(folder, file), 'utf8')).replace(/^\uFEFF/, ''),
    );
    const entries = Array.isArray(content) ? content : [content];
    if (entries.length === 0) console.log(JSON.stringify({ file, notReplayed: 'The list is empty.' }));
    for (const entry of entries) console.log(JSON.stringify({ file, ...(await lineOf(entry)) }));
  } catch (error) {
    console.log(JSON.stringify({ file, notReplayed: String(error) }));
  }
}
