import { z } from 'zod';
import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import { createGraphClient, type GraphClient } from '../../../core/connectors/m365/graph-client.ts';
import { GRAPH_CLOUDS } from '../../../core/connectors/m365/graph-cloud.ts';
import { createGraphConnector } from '../../../core/connectors/m365/graph-connector.ts';
import { createGraphDirectory } from '../../../core/connectors/m365/graph-directory.ts';
import { graphNotifications } from '../../../core/connectors/m365/subscriptions.ts';
import { WITHOUT_BOUND } from './connect.ts';

export type Recording = {
  request: { method: string; url: string; body: unknown };
  status: number;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

/** What the connector made of a recording: a result, or the error that it threw. */
export type Replayed = { call: string; status: number } & (
  | { made: unknown }
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

const live = new AbortController().signal;
const MAX_BYTES = 64 * 1024 * 1024;
const DRIVE = 'b!replayed';
const ITEM = '01REPLAYED';
const PERSON = '00000000-0000-4000-8000-000000000001';
const EXPIRES = new Date('2030-01-01T00:00:00Z');

type Reading = (parts: ReturnType<typeof partsOf>) => Promise<unknown>;

/**
 * The call of the connector that an address belongs to, by how its path ends. Recordings of items below other roots
 * (`me/drive`, `users/{id}/drive`) have the same answers.
 */
const CALLS: readonly { call: string; path: RegExp; method?: string; read: Reading }[] = [
  {
    call: 'delta',
    path: /\/(?:microsoft\.graph\.)?delta(?:\([^/]*\))?$/,
    read: ({ connector }) => connector.listItems(DRIVE, null, live),
  },
  {
    call: 'permissions',
    path: /\/permissions$/,
    read: ({ connector }) => connector.getPermissions(DRIVE, ITEM, live),
  },
  {
    call: 'labels_extract',
    path: /\/(?:microsoft\.graph\.)?extractSensitivityLabels$/i,
    read: ({ connector }) => connector.getLabel(DRIVE, ITEM, live),
  },
  {
    call: 'label_catalogue',
    path: /\/sensitivityLabels$/i,
    read: ({ connector }) => connector.listLabels(live),
  },
  {
    call: 'content',
    path: /\/content$/,
    read: ({ connector }) => connector.readContent(DRIVE, ITEM, MAX_BYTES, live),
  },
  {
    call: 'sites_all',
    path: /\/sites(?:\/(?:microsoft\.graph\.|oneDrive\.)?getAllSites(?:\(\))?)?$/i,
    read: ({ scopes }) => scopes('all'),
  },
  { call: 'site_drives', path: /\/drives$/, read: ({ scopes }) => scopes(['replayed']) },
  { call: 'site', path: /\/sites\/[^/]+(?::\/.*)?$/, read: ({ scopes }) => scopes(['replayed']) },
  {
    call: 'user_manager',
    path: /\/manager$/,
    read: async ({ directory }) => [...(await directory.managersOf([PERSON], live)).values()],
  },
  {
    call: 'group_members',
    path: /\/(?:transitiveMembers|members)(?:\/microsoft\.graph\.user)?$/,
    read: ({ directory }) => directory.membersOf(PERSON, 1_000, live),
  },
  { call: 'users', path: /\/users$/, read: ({ directory }) => directory.peopleBehind([PERSON], live) },
  { call: 'user', path: /\/users\/[^/]+$/, read: ({ directory }) => directory.person(PERSON, live) },
  {
    call: 'subscription_create',
    method: 'POST',
    path: /\/subscriptions$/,
    read: ({ notifications }) =>
      notifications.subscribe(
        {
          scopeExternalId: DRIVE,
          clientState: 'state',
          notificationUrl: 'https://replay.example/n',
          lifecycleUrl: 'https://replay.example/l',
          expiresAt: EXPIRES,
        },
        live,
      ),
  },
  {
    call: 'subscription_renew',
    method: 'PATCH',
    path: /\/subscriptions\/[^/]+$/,
    read: ({ notifications }) => notifications.renew('replayed', EXPIRES, live),
  },
  {
    call: 'items',
    path: /\/(?:children|search(?:\([^/]*\))?|recent|sharedWithMe)$/,
    read: ({ connector }) => connector.listItems(DRIVE, null, live),
  },
  {
    call: 'item',
    path: /\/(?:items\/[^/]+|root|root:\/.*|driveItem)$/,
    read: ({ connector }) => connector.getItem(DRIVE, ITEM, live),
  },
];

/** Gives one recorded answer to the connector. */
export async function replayed(recording: Recording): Promise<Replayed> {
  const { request, status } = recording;
  if (isBatch(recording)) return replayedBatch(recording);
  const pathname = pathOf(request.url);
  const found = CALLS.find(
    ({ path, method }) => path.test(pathname) && (method === undefined || method === request.method),
  );
  if (found === undefined) return { call: 'none', status, notReplayed: 'The connector makes no such call.' };
  const { call, read } = found;
  try {
    const made = await answeredBy(call === 'items' ? asFeed(recording) : recording, () => read(partsOf()));
    return { call, status, made: shown(made) };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const { name, retryClass, safeDiagnostic, retryAfterMs } = error;
    const restartsAt =
      error instanceof DeltaCursorInvalid
        ? { restartsAt: error.restartAt === null ? 'beginning' : 'location' }
        : {};
    return {
      call,
      status,
      error: { name, retryClass, diagnostic: safeDiagnostic, retryAfterMs, ...restartsAt },
    };
  }
}

const pathOf = (url: string): string => {
  const { pathname } = new URL(url, GRAPH_CLOUDS.global.graphOrigin);
  const decoded = URL.canParse(pathname, 'https://x.example') ? decodeURI(pathname) : pathname;
  return decoded.replace(/:$/, '').replace(/\/+$/, '');
};

const isBatch = ({ request }: Recording): boolean => pathOf(request.url).endsWith('/$batch');

const Batch = z.object({
  requests: z.array(z.object({ id: z.coerce.string(), method: z.string(), url: z.string() })),
});
const BatchAnswer = z.object({
  responses: z.array(
    z.object({
      id: z.coerce.string(),
      status: z.number(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      body: z.unknown().optional(),
    }),
  ),
});

/** Each call of a batch by itself, as the client takes them. */
async function replayedBatch({ request, status, body }: Recording): Promise<Replayed> {
  const asked = Batch.safeParse(request.body);
  const answered = BatchAnswer.safeParse(body);
  if (!asked.success || !answered.success) {
    return { call: 'batch', status, notReplayed: 'The calls of the batch are not in the recording.' };
  }
  const made: unknown[] = [];
  for (const { id, method, url } of asked.data.requests) {
    const answer = answered.data.responses.find((each) => each.id === id);
    if (answer === undefined) {
      made.push({ id, notReplayed: 'The batch has no answer for it.' });
      continue;
    }
    const headers = Object.fromEntries(
      Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    const full = new URL(`/v1.0${url.startsWith('/') ? url : `/${url}`}`, GRAPH_CLOUDS.global.graphOrigin)
      .href;
    const single = {
      request: { method, url: full, body: undefined },
      status: answer.status,
      headers,
      body: answer.body,
    };
    made.push({ id, ...(await replayed(single)) });
  }
  return { call: 'batch', status, made };
}

/** A list of items has no link to a delta, which ends a feed. */
const asFeed = (recording: Recording): Recording => ({
  ...recording,
  body:
    recording.status === 200 && typeof recording.body === 'object'
      ? {
          '@odata.deltaLink': `${GRAPH_CLOUDS.global.graphOrigin}/v1.0/drives/${DRIVE}/root/delta?token=none`,
          ...recording.body,
          '@odata.nextLink': undefined,
        }
      : recording.body,
});

function partsOf() {
  const cloud = GRAPH_CLOUDS.global;
  const client: GraphClient = createGraphClient({
    cloud,
    tokens: { token: async () => 'replayed' },
    budget: WITHOUT_BOUND,
    priority: 'background',
    clock: Date.now,
    writesLabels: false,
    count: () => undefined,
    wait: async () => undefined,
  });
  const connectorTo = (sites: 'all' | readonly string[]) =>
    createGraphConnector({ client, cloud, sites, readsLabels: true, clock: Date.now });
  return {
    connector: connectorTo([]),
    scopes: async (sites: 'all' | readonly string[]) =>
      (await connectorTo(sites).listScopes(null, live)).scopes,
    directory: createGraphDirectory(client),
    notifications: graphNotifications(client, Date.now),
  };
}

const NOT_FOUND = { status: 404, body: { error: { code: 'itemNotFound', message: 'Not recorded.' } } };

/**
 * Runs with a `fetch` that gives the recorded answer, as often as the same address is asked; to every other call it
 * answers 404. The links of a recording lead to the drive of the recording, so they are read as of the replayed drive.
 */
async function answeredBy<T>({ status, headers, body }: Recording, run: () => Promise<T>): Promise<T> {
  const { fetch } = globalThis;
  const text = linksToReplayed(
    typeof body === 'string' ? body : body === undefined || body === null ? '' : JSON.stringify(body),
  );
  const location = headers.location === undefined ? {} : { location: linksToReplayed(headers.location) };
  const kept = { ...headers, ...location };
  // The body is given as it was read, without its transfer.
  for (const name of ['content-encoding', 'transfer-encoding', 'content-length'])
    delete kept[name as keyof typeof kept];
  const bodyless = status === 204 || status === 304 || status === 101;
  let first: string | null = null;
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    first ??= url;
    const isContent = !url.startsWith(GRAPH_CLOUDS.global.graphOrigin);
    if (url === first) return new Response(bodyless ? null : text, { status, headers: kept });
    if (isContent) return new Response('content', { status: 200 });
    if (url.endsWith('/$batch')) return Response.json({ responses: notFound(String(init?.body)) });
    return Response.json(NOT_FOUND.body, { status: NOT_FOUND.status });
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = fetch;
  }
}

/** What else a call asks for in a batch was not recorded. */
const notFound = (batch: string) =>
  Batch.parse(JSON.parse(batch)).requests.map(({ id }) => ({ id, headers: {}, ...NOT_FOUND }));

/** Links of a delta name the drive, the site or the user of the recording. */
const linksToReplayed = (text: string): string =>
  text.replaceAll(
    /(https:\/\/graph\.microsoft\.com\/)(?:v1\.0|beta)\/[^"?]*?\/((?:microsoft\.graph\.)?delta)/g,
    (_all, origin: string, delta: string) => `${origin}v1.0/drives/${DRIVE}/root/${delta}`,
  );

/** Bytes are told by their number. */
const shown = (made: unknown): unknown => {
  if (typeof made === 'object' && made !== null && 'bytes' in made && made.bytes instanceof Uint8Array) {
    return { ...made, bytes: made.bytes.byteLength };
  }
  return made;
};
