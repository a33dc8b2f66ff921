import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Recording, replayed } from './replay-recording.ts';

const USAGE = `node test/support/graph/replay.ts FOLDER

Gives each recorded answer of Microsoft Graph in FOLDER to the connector, and prints what the connector made of it, one
line of JSON for each file. A file holds { request, status, headers, body }; request is a text ("GET https://...") or
{ method, url, headers, body }. Nothing is sent anywhere.`;

const Headers = z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).nullish();
const Request = z.union([
  z.string().transform((text) => {
    const [, method = 'GET', url = text] = /^([A-Z]+)\s+(\S+)$/.exec(text.trim()) ?? [];
    return { method, url, body: undefined as unknown };
  }),
  z.object({ method: z.string().default('GET'), url: z.string(), body: z.unknown().optional() }),
]);
const File = z.object({
  request: Request,
  status: z.int().min(100).max(599),
  headers: Headers,
  body: z.unknown().optional(),
});

/** A recording as its file has it. Throws if it is none. */
function recordingOf(text: string): Recording {
  const { request, status, headers, body } = File.parse(JSON.parse(text));
  return {
    request: { method: request.method.toUpperCase(), url: request.url, body: request.body },
    status,
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body,
  };
}

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, ...others] = positionals;
if (folder === undefined || others.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
for (const file of names) {
  try {
    const recording = recordingOf(await readFile(path.join(folder, file), 'utf8'));
    console.log(JSON.stringify({ file, ...(await replayed(recording)) }));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    console.log(JSON.stringify({ file, notReplayed: why }));
  }
}
