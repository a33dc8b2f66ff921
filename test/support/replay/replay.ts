import { parseArgs } from 'node:util';
import { replayedBox } from './box.ts';
import type { Outcome } from './given.ts';
import { replayedGoogle } from './google.ts';
import { organizationIn, replayedGraph } from './graph.ts';
import { type Recording, readRecordings } from './recording.ts';

const USAGE = `npm run replay -- FOLDER [--tenant ID] [--domain DOMAIN]... [--label LABEL[/FIELD]]

Gives each recorded answer of Microsoft Graph, Google Drive or Box in FOLDER to the connector, and prints what the
connector made of it, one line of JSON for each. A file holds { request, status, headers, body }, or a list of them;
request is a text ("GET https://...") or { method, url, headers, body }. --tenant names our tenant of Microsoft, --domain
a domain of ours at Google, --label our label at Google. Nothing is sent anywhere. docs/replay.md has more.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    tenant: { type: 'string' },
    domain: { type: 'string', multiple: true, default: [] },
    label: { type: 'string' },
  },
});
const [folder, ...others] = positionals;
const read = folder === undefined || others.length > 0 ? null : await readRecordings(folder);
if (read === null) {
  console.error(USAGE);
  process.exit(2);
}
const recordings = read.flatMap((each) => ('recording' in each ? [each.recording] : []));
const tenant = { tenantId: values.tenant ?? null, organization: organizationIn(recordings) };
const workspace = { domains: values.domain, label: values.label ?? null, recordings };

async function lineOf(recording: Recording): Promise<Outcome | { notReplayed: string }> {
  const { status } = recording;
  if (status < 200) return { call: 'none', status, notReplayed: 'The status is not the end of an answer.' };
  try {
    return (
      (await replayedGoogle(recording, workspace)) ??
      (await replayedBox(recording, recordings)) ??
      (await replayedGraph(recording, tenant))
    );
  } catch (error) {
    return { notReplayed: String(error) };
  }
}

for (const each of read) {
  const line = 'recording' in each ? { file: each.file, ...(await lineOf(each.recording)) } : each;
  console.log(JSON.stringify(line));
}
