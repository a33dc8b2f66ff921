import { generateKeyPairSync } from 'node:crypto';
import { GOOGLE } from '../../../core/connectors/cloud-drive/drive-cloud.ts';
import { addressOn } from '../../../core/connectors/cloud-http/checked-address.ts';
import { WITHOUT_BOUND } from '../graph/connect.ts';
import { besideOf, withoutNames } from './beside.ts';
import { type Besides, bytesCounted, callOf, given, noCall, type Outcome, type Replayed } from './given.ts';
import { CURSOR, GOOGLE_CALLS, partsOf } from './google-calls.ts';
import { addressOf, type Recording } from './recording.ts';

/** @param label `LABEL` or `LABEL/FIELD`: the label that is ours */
export type ReplayedWorkspace = {
  domains: readonly string[];
  label: string | null;
  recordings: readonly Recording[];
};

const API = [GOOGLE.apiOrigin, GOOGLE.labelsOrigin, GOOGLE.directoryOrigin, GOOGLE.tokenOrigin];
/** Others of Google, such as pages of documents, are no answers that the service reads. */
const OTHERS = /\.google(?:apis)?\.com$/;

/** Gives one recorded answer of Google Drive to the connector. Null if it is of another source. */
export async function replayedGoogle(
  recording: Recording,
  { domains, label, recordings }: ReplayedWorkspace,
): Promise<Outcome | null> {
  const { origin, path } = addressOf(recording);
  const isApi = API.includes(origin) || /^\/drive\/v3\//.test(path);
  const { status, body } = recording;
  if (!isApi && OTHERS.test(origin)) return noCall(status);
  if (!isApi && addressOn(GOOGLE, origin) === null) return null;
  const found = callOf(GOOGLE_CALLS, isApi ? 'api' : 'elsewhere', path, recording);
  if (found === undefined) return noCall(status);
  // Where nobody says what is ours, all domains of the answer are, and its only label.
  const met = domains.length > 0 ? [] : domainsIn(body);
  const labels = found.call === 'label' ? labelsIn([body]) : oursOf(label, recordings, body);
  const [admin = 'replayed.invalid', ...more] = domains.length > 0 ? domains : met;
  const options = {
    cloud: GOOGLE,
    keyNow: keyOf,
    admin: `admin@${admin}`,
    domains: more,
    label: labels.length === 1 ? (labels[0] ?? null) : null,
    gate: WITHOUT_BOUND,
    priority: 'background',
    clock: Date.now,
    count: () => undefined,
    wait: async () => undefined,
  } as const;
  const parts = partsOf(options, driveIn(recording));
  const source = sourceOf(recordings, options.admin, body);
  const outcome = await given(found, recording, parts, source, (made) =>
    withoutNames(bytesCounted(made, status)),
  );
  // A folder or a shortcut is no item, but an entry of a list.
  const files = GOOGLE_CALLS.find(({ call }) => call === 'files');
  const isEntry = found.call === 'file' && 'made' in outcome && outcome.made === null && status === 200;
  if (isEntry && files) {
    const asList = { ...recording, body: { kind: 'drive#fileList', files: [body] } };
    return { ...(await given(files, asList, parts, source, withoutNames)), call: 'file' };
  }
  return 'made' in outcome ? { ...outcome, ...hintOf(found.call, met, labels) } : outcome;
}

function hintOf(call: string, met: readonly string[], labels: readonly string[]): { hint?: string } {
  if (call === 'permissions' && met.length > 0)
    return { hint: 'No address is external. Name ours with --domain.' };
  if (call === 'labels' && labels.length !== 1)
    return { hint: 'Which label is ours is not known. Name it with --label.' };
  return {};
}

let key: string | null = null;
/** A key file that no account has. */
function keyOf(): string {
  key ??= JSON.stringify({
    type: 'service_account',
    client_email: 'replayed@replayed.invalid',
    private_key: generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }).privateKey,
  });
  return key;
}

const textsAt = (body: unknown, key: string): string[] => {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === key && typeof value === 'string' ? [value] : textsAt(value, key),
  );
};

/** The shared drive that a recording is of, by its address or an entry. */
function driveIn(recording: Recording): string | null {
  const { path, query } = addressOf(recording);
  const named = query.get('driveId') ?? /\/drives\/([^/]+)$/.exec(path)?.[1] ?? null;
  return named ?? textsAt(recording.body, 'driveId')[0] ?? null;
}

function domainsIn(body: unknown): string[] {
  const ofAddresses = textsAt(body, 'emailAddress').map((address) =>
    address.slice(address.lastIndexOf('@') + 1),
  );
  return [...new Set([...ofAddresses, ...textsAt(body, 'domain')].map((each) => each.toLowerCase()))];
}

/** The label that is named, those of the catalogue in the folder, or those of the answer. */
function oursOf(label: string | null, recordings: readonly Recording[], body: unknown): string[] {
  if (label !== null) return [label];
  const catalogue = recordings.filter((each) => addressOf(each).origin === GOOGLE.labelsOrigin);
  return labelsIn(catalogue.length > 0 ? catalogue.map((each) => each.body) : [body]);
}

/** The labels with a field of choices, as the catalogue and files have them. */
function labelsIn(bodies: readonly unknown[]): string[] {
  const entries = bodies.flatMap((body) => [body, ...labelsOf(body)]);
  return [...new Set(entries.flatMap((entry) => (hasChoices(entry) ? [entry.id] : [])))];
}

const labelsOf = (body: unknown): unknown[] => {
  const labels = typeof body === 'object' && body !== null && 'labels' in body ? body.labels : [];
  return Array.isArray(labels) ? labels : [];
};
const hasChoices = (entry: unknown): entry is { id: string } =>
  typeof entry === 'object' &&
  entry !== null &&
  'id' in entry &&
  'fields' in entry &&
  /"(?:selection|selectionOptions)":/.test(JSON.stringify(entry.fields));

const NOT_FOUND = {
  error: { code: 404, message: 'Not recorded.', errors: [{ domain: 'global', reason: 'notFound' }] },
};

function sourceOf(recordings: readonly Recording[], admin: string, body: unknown): Replayed {
  const member = { kind: 'drive#permission', type: 'user', role: 'organizer', emailAddress: admin };
  return {
    next: 'nextPageToken',
    feeds: /^(?:files|changes)$/,
    always: [
      [/\/token$/, () => Response.json({ access_token: 'replayed', expires_in: 3600, token_type: 'Bearer' })],
      // Whoever reads the drive is a member of it.
      [
        /useDomainAdminAccess=true/,
        (request) =>
          Response.json(request.includes('/permissions?') ? { permissions: [member] } : { id: 'replayed' }),
      ],
      [/\/drives\/[^/?]+\?/, () => Response.json({ id: 'replayed' })],
      [/\/files\/root\?/, () => Response.json({ id: 'replayed' })],
    ],
    otherwise: [...besideOf(recordings, /\/(?:files|changes)$/), ...madeUp(body)],
    notFound: NOT_FOUND,
  };
}

/** An empty drive, and the label of a file as nobody names its choices. */
const madeUp = (body: unknown): Besides => [
  [/\/startPageToken\b/, () => Response.json({ startPageToken: CURSOR })],
  [/\/drive\/v3\/files\?/, () => Response.json({ kind: 'drive#fileList', files: [] })],
  [/\/v2\/labels\//, (request) => labelOf(labelsOf(body), /\/labels\/([^/?]+)/.exec(request)?.[1] ?? '')],
];

function labelOf(labels: readonly unknown[], id: string): Response {
  const fields = labels.flatMap((each) =>
    hasChoices(each) && each.id === id && 'fields' in each ? Object.entries(each.fields as object) : [],
  );
  const found = fields.flatMap(([fieldId, { selection }]) =>
    Array.isArray(selection)
      ? [{ id: fieldId, selectionOptions: { choices: selection.map((choice) => ({ id: choice })) } }]
      : [],
  );
  return Response.json({ id, fields: found });
}
