import { z } from 'zod';
import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { contentAddress } from '../../../core/connectors/m365/follow-link.ts';
import { ExtractedLabels } from '../../../core/connectors/m365/graph-answers.ts';
import { GRAPH_CLOUDS, type GraphCloud } from '../../../core/connectors/m365/graph-cloud.ts';
import {
  type Besides,
  CALLS,
  DRIVE,
  ORGANIZATION,
  partsOf,
  type ReplayedCall,
  type ReplayedTenant,
} from './replay-calls.ts';

export type Recording = {
  request: { method: string; url: string; body: unknown };
  status: number;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** What the connector made of a recording: a result, or the error that it threw. */
export type Replayed = { call: string; status: number } & (
  | { made: unknown; hasNextPage?: true; hint?: string }
  | {
      error: {
        name: string;
        retryClass: string;
        diagnostic: string;
        retryAfterMs: number | null;
        restartsAt?: string;
      };
    }
  | { notReplayed: string }
);

/** Gives one recorded answer to the connector. */
export async function replayed(recording: Recording, tenant: ReplayedTenant): Promise<Replayed> {
  const { request, status } = recording;
  const address = addressOf(request.url);
  if (status < 200) return { call: 'none', status, notReplayed: 'The status is not the end of an answer.' };
  if (address.isAuthority) return { call: 'token', status, notReplayed: 'Tokens are acquired by a package.' };
  if (/\/\$batch$/.test(address.path)) return replayedBatch(recording, address.cloud, tenant);
  const found = CALLS.find(
    ({ at, path, method, when }) =>
      (at === 'graph') === address.isGraph &&
      path.test(address.path) &&
      (method === undefined || method === request.method) &&
      when?.(recording) !== false,
  );
  if (found === undefined) return { call: 'none', status, notReplayed: 'The connector makes no such call.' };
  const made = await given(recording, found, address.cloud, tenant);
  // A folder or a shortcut is no item, but an entry of a feed.
  const isEntry = found.call === 'item' && 'made' in made && made.made === null && status === 200;
  const feed = CALLS.find(({ call }) => call === 'items');
  return isEntry && feed
    ? {
        ...(await given({ ...recording, body: { value: [recording.body] } }, feed, address.cloud, tenant)),
        call: 'item',
      }
    : made;
}

type Address = { cloud: GraphCloud; path: string; isGraph: boolean; isAuthority: boolean };

/** Hosts of recordings may be relative or replaced by a placeholder, so an address need not be a URL. */
function addressOf(url: string): Address {
  const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#]*)?\/?([^?#]*)/i.exec(url) ?? [];
  const clouds = Object.values(GRAPH_CLOUDS);
  const cloud = clouds.find(({ graphOrigin }) => graphOrigin === origin.toLowerCase()) ?? GRAPH_CLOUDS.global;
  const path = `/${rest}`
    .split('/')
    .map((segment) => decoded(segment).replace(/^(?:microsoft\.graph|oneDrive)\./i, ''))
    .map((segment) => segment.replace(/\(\)$/, '').replace(/^(\w+)\('([^']*)'\)$/, '$1/$2'))
    .join('/')
    .replace(/[:/]+$/, '');
  return {
    cloud,
    path,
    isGraph: origin === '' || origin.toLowerCase() === cloud.graphOrigin || /^\/(?:v1\.0|beta)\//.test(path),
    isAuthority: clouds.some(({ authorityOrigin }) => authorityOrigin === origin.toLowerCase()),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const SEVERAL = 'Labels of several tenants. Name ours with --tenant, or add the answer of GET /organization.';

function tenantsIn(body: unknown): string[] {
  const { labels, value } = ExtractedLabels.parse(body);
  return [...new Set((labels ?? value?.labels ?? []).flatMap(({ tenantId }) => tenantId ?? []))];
}

async function given(
  recording: Recording,
  found: ReplayedCall,
  cloud: GraphCloud,
  tenant: ReplayedTenant,
): Promise<Replayed> {
  const { call, as } = found;
  const { status, body } = recording;
  const isObject = typeof body === 'object' && body !== null;
  const asAsked = as && isObject && status < 300 ? as(body) : body;
  const isPaged = !/(?:^|_)delta$/.test(call) && isObject && '@odata.nextLink' in body;
  // The next page is another recording.
  const oneAnswer = isPaged ? { ...(asAsked as object), '@odata.nextLink': undefined } : asAsked;
  try {
    // Where nobody says whose the recording is, labels that all name one tenant are taken for ours.
    const named = tenant.tenantId === null && tenant.organization === null ? tenantsIn(body) : [];
    const tenantId = tenant.tenantId ?? (named.length === 1 ? (named[0] ?? null) : null);
    const made = await answeredBy({ ...recording, body: oneAnswer }, found, tenant, () =>
      found.read(partsOf(cloud, tenantId), recording),
    );
    return {
      call,
      status,
      made: shown(made, status, cloud),
      ...(isPaged && { hasNextPage: true }),
      ...(named.length > 1 && { hint: SEVERAL }),
    };
  } catch (error) {
    if (error instanceof ConnectorError) return { call, status, error: shownError(error) };
    throw error;
  }
}

function shownError(error: ConnectorError) {
  const { name, retryClass, safeDiagnostic, retryAfterMs } = error;
  const restartsAt =
    error instanceof DeltaCursorInvalid
      ? { restartsAt: error.restartAt === null ? 'beginning' : 'location' }
      : {};
  return { name, retryClass, diagnostic: safeDiagnostic, retryAfterMs, ...restartsAt };
}

const Batch = z.object({
  requests: z.array(
    z.object({ id: z.coerce.string(), method: z.string(), url: z.string(), body: z.unknown().optional() }),
  ),
});
const BatchAnswer = z.object({
  responses: z.array(
    z.object({
      id: z.coerce.string(),
      status: z.int(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      body: z.unknown().optional(),
    }),
  ),
});

/** Two calls that leave as one batch. */
const WHOLE_BATCH: ReplayedCall = {
  ...{ call: 'batch', at: 'graph', path: /./ },
  read: ({ connector }) => {
    const signal = new AbortController().signal;
    return Promise.all(['1', '2'].map((id) => connector.getItem(DRIVE, id, signal)));
  },
};

/** Each call of a batch by itself, as the client takes them. */
async function replayedBatch(
  recording: Recording,
  cloud: GraphCloud,
  tenant: ReplayedTenant,
): Promise<Replayed> {
  const { request, status, body } = recording;
  if (status >= 300) return given(recording, WHOLE_BATCH, cloud, tenant);
  const asked = Batch.safeParse(request.body);
  const answered = BatchAnswer.safeParse(body);
  if (!asked.success || !answered.success) {
    return { call: 'batch', status, notReplayed: 'The calls of the batch are not in the recording.' };
  }
  const made: unknown[] = [];
  for (const { id, method, url, body: sent } of asked.data.requests) {
    const answer = answered.data.responses.find((each) => each.id === id);
    if (answer === undefined) {
      made.push({ id, notReplayed: 'The batch has no answer for it.' });
      continue;
    }
    const headers = Object.fromEntries(
      Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    const single = {
      request: { method: method.toUpperCase(), url, body: sent },
      status: answer.status,
      headers,
      body: answer.body,
    };
    made.push({ id, ...(await replayed(single, tenant)) });
  }
  return { call: 'batch', status, made };
}

const NOT_FOUND = { error: { code: 'itemNotFound', message: 'Not recorded.' } };
const WITHOUT_BODY = [204, 205, 304];
/** The body is given as it was read, without its transfer. */
const OF_TRANSFER = ['content-encoding', 'transfer-encoding', 'content-length'];

/**
 * Runs with a `fetch` that gives the recorded answer to one request, as often as it is made. Others get what `besides`
 * has for them, or 404.
 */
async function answeredBy<T>(
  recording: Recording,
  { answers, besides = [], links = `drives/${DRIVE}/root` }: ReplayedCall,
  { organization }: ReplayedTenant,
  run: () => Promise<T>,
): Promise<T> {
  const { fetch } = globalThis;
  let first: string | null = null;
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    const request = `${init?.method ?? 'GET'} ${url}`;
    if (ORGANIZATION.test(request) && answers !== ORGANIZATION)
      return organization === null ? Response.json(NOT_FOUND, { status: 404 }) : Response.json(organization);
    if (answers === undefined) first ??= request;
    if (answers?.test(request) ?? request === first) return responseOf(recording, links);
    if (url.endsWith('/$batch')) return batchOf(String(init?.body), besides);
    return otherOf(request, besides);
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = fetch;
  }
}

function responseOf({ status, headers, body }: Recording, links: string): Response {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (OF_TRANSFER.includes(name)) continue;
    try {
      kept.set(name, name === 'location' ? linksToReplayed(value, links) : value);
    } catch {
      // No server can have sent it.
    }
  }
  if (WITHOUT_BODY.includes(status)) return new Response(null, { status, headers: kept });
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? undefined);
  return new Response(text === undefined ? null : linksToReplayed(text, links), { status, headers: kept });
}

/** What else a call asks for was not recorded. */
const otherOf = (request: string, besides: Besides): Response =>
  besides.find(([pattern]) => pattern.test(request))?.[1](request) ??
  Response.json(NOT_FOUND, { status: 404 });

async function batchOf(batch: string, besides: Besides): Promise<Response> {
  const responses = Batch.parse(JSON.parse(batch)).requests.map(async ({ id, method, url }) => {
    const response = otherOf(`${method} ${url}`, besides);
    return { id, status: response.status, headers: {}, body: await response.json() };
  });
  return Response.json({ responses: await Promise.all(responses) });
}

/** Links of a delta name the drive, the site, the team or the user of the recording. Their hosts stay. */
const linksToReplayed = (text: string, links: string): string =>
  text.replaceAll(
    /(https:\/\/[\w.-]+\/)(?:v1\.0|beta)\/[^"?]*?\/((?:microsoft\.graph\.)?delta(?=[?("]|$))/g,
    (_all, origin: string, delta: string) => `${origin}v1.0/${links}/${delta}`,
  );

/** Bytes are told by their number, and an address with its secret by whether it would be asked. */
function shown(made: unknown, status: number, cloud: GraphCloud): unknown {
  if (typeof made !== 'object' || made === null) return made;
  if ('bytes' in made && made.bytes instanceof Uint8Array)
    return status < 300 ? { ...made, bytes: made.bytes.byteLength } : { state: 'redirected' };
  if ('monitor' in made && typeof made.monitor === 'string')
    return { ...made, monitor: isMonitor(cloud, made.monitor) ? 'usable' : 'refused' };
  return made;
}

function isMonitor(cloud: GraphCloud, address: string): boolean {
  try {
    return contentAddress(cloud, 'monitor', address).href !== '';
  } catch {
    return false;
  }
}
