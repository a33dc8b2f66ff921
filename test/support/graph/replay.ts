import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { ReplayedTenant } from './replay-calls.ts';
import { type Recording, replayed } from './replay-recording.ts';

const USAGE = `npm run replay -- FOLDER [--tenant ID]

Gives each recorded answer of Microsoft Graph in FOLDER to the connector, and prints what the connector made of it, one
line of JSON for each. A file holds { request, status, headers, body }, or a list of them; request is a text
("GET https://...") or { method, url, headers, body }. A recording of GET /organization says which tenant and which
domains are ours; --tenant names the tenant instead. Nothing is sent anywhere. docs/replay.md has more.`;

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

async function lineOf(entry: unknown, tenant: ReplayedTenant): Promise<object> {
  try {
    return await replayed(recordingOf(entry), tenant);
  } catch (error) {
    return { notReplayed: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
  }
}

type Read = { file: string } & ({ entries: unknown[] } | { notReplayed: string });

async function readRecordings(folder: string, file: string): Promise<Read> {
  try {
    const text = (await readFile(path.join(folder, file), 'utf8')).replace(/^\uFEFF/, '');
    const content: unknown = JSON.parse(text);
    const entries = Array.isArray(content) ? content : [content];
    return entries.length === 0 ? { file, notReplayed: 'The list is empty.' } : { file, entries };
  } catch (error) {
    return { file, notReplayed: String(error) };
  }
}

/** The first answer that describes the organization; null without one. */
function organizationIn(recordings: readonly Read[]): unknown {
  const entries = recordings.flatMap((each) => ('entries' in each ? each.entries : []));
  const answers = entries.flatMap((entry) => {
    const { data } = Recorded.safeParse(entry);
    return data?.status === 200 && /\/organization(?:\?|$)/.test(data.request.url) ? [data.body] : [];
  });
  return answers[0] ?? null;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { tenant: { type: 'string' } },
});
const [folder, ...others] = positionals;
const names =
  folder === undefined || others.length > 0
    ? null
    : await readdir(folder, { recursive: true }).catch(() => null);
if (folder === undefined || names === null) {
  console.error(USAGE);
  process.exit(2);
}
const files = names.filter((name) => name.endsWith('.json')).sort();
const recordings = await Promise.all(files.map((file) => readRecordings(folder, file)));
const tenant = { tenantId: values.tenant ?? null, organization: organizationIn(recordings) };
for (const recording of recordings) {
  if ('notReplayed' in recording) {
    console.log(JSON.stringify(recording));
    continue;
  }
  const { file, entries } = recording;
  for (const entry of entries) console.log(JSON.stringify({ file, ...(await lineOf(entry, tenant)) }));
}
