import { z } from 'zod';
import { contentAddress } from '../../../core/connectors/m365/follow-link.ts';
import { ExtractedLabels } from '../../../core/connectors/m365/graph-answers.ts';
import { GRAPH_CLOUDS, type GraphCloud } from '../../../core/connectors/m365/graph-cloud.ts';
import {
  bytesCounted,
  callOf,
  given,
  noCall,
  type Outcome,
  type Replayed,
  type ReplayedCall,
} from './given.ts';
import { CALLS, DRIVE, type GraphParts, ORGANIZATION, partsOf } from './graph-calls.ts';
import { addressOf, inLowerCase, type Recording } from './recording.ts';

/** What is known of the organization whose answers are replayed. */
export type ReplayedTenant = { tenantId: string | null; organization: unknown };

/** The first answer that describes the organization; null without one. */
export const organizationIn = (recordings: readonly Recording[]): unknown =>
  recordings.find(({ request, status }) => status === 200 && /\/organization(?:\?|$)/.test(request.url))
    ?.body ?? null;

/** Gives one recorded answer of Graph to the connector. */
export async function replayedGraph(recording: Recording, tenant: ReplayedTenant): Promise<Outcome> {
  const { status } = recording;
  const address = placeOf(recording);
  if (address.isAuthority) return { call: 'token', status, notReplayed: 'Tokens are acquired by a package.' };
  if (/\/\$batch$/.test(address.path)) return replayedBatch(recording, address.cloud, tenant);
  const found = callOf(CALLS, address.isGraph ? 'api' : 'elsewhere', address.path, recording);
  if (found === undefined) return noCall(status);
  const made = await ofTenant(recording, found, address.cloud, tenant);
  // A folder or a shortcut is no item, but an entry of a feed.
  const isEntry = found.call === 'item' && 'made' in made && made.made === null && status === 200;
  const feed = CALLS.find(({ call }) => call === 'items');
  if (!isEntry || !feed) return made;
  const asList = { ...recording, body: { value: [recording.body] } };
  return { ...(await ofTenant(asList, feed, address.cloud, tenant)), call: 'item' };
}

type Place = { cloud: GraphCloud; path: string; isGraph: boolean; isAuthority: boolean };

function placeOf(recording: Recording): Place {
  const { origin, path: recorded } = addressOf(recording);
  const clouds = Object.values(GRAPH_CLOUDS);
  const cloud = clouds.find(({ graphOrigin }) => graphOrigin === origin) ?? GRAPH_CLOUDS.global;
  const path = recorded
    .split('/')
    .map((segment) => segment.replace(/^(?:microsoft\.graph|oneDrive)\./i, ''))
    .map((segment) => segment.replace(/\(\)$/, '').replace(/^(\w+)\('([^']*)'\)$/, '$1/$2'))
    .join('/')
    .replace(/[:/]+$/, '');
  return {
    cloud,
    path,
    isGraph: origin === '' || origin === cloud.graphOrigin || /^\/(?:v1\.0|beta)\//.test(path),
    isAuthority: clouds.some(({ authorityOrigin }) => authorityOrigin === origin),
  };
}

const SEVERAL = 'Labels of several tenants. Name ours with --tenant, or add the answer of GET /organization.';

function tenantsIn(body: unknown): string[] {
  const labels = ExtractedLabels.safeParse(body).data;
  return [
    ...new Set((labels?.labels ?? labels?.value?.labels ?? []).flatMap(({ tenantId }) => tenantId ?? [])),
  ];
}

const NOT_FOUND = { error: { code: 'itemNotFound', message: 'Not recorded.' } };

const sourceOf = ({ organization }: ReplayedTenant, links: string | undefined): Replayed => ({
  next: '@odata.nextLink',
  feeds: /(?:^|_)delta$/,
  always: [
    [
      ORGANIZATION,
      () => (organization === null ? Response.json(NOT_FOUND, { status: 404 }) : Response.json(organization)),
    ],
  ],
  otherwise: [[/\/\$batch$/, (_request, sent, other) => batchOf(sent, other)]],
  notFound: NOT_FOUND,
  linked: (text) => linksToReplayed(text, links ?? `drives/${DRIVE}/root`),
});

async function ofTenant(
  recording: Recording,
  found: ReplayedCall<GraphParts>,
  cloud: GraphCloud,
  tenant: ReplayedTenant,
): Promise<Outcome> {
  const { status, body } = recording;
  // Where nobody says whose the recording is, labels that all name one tenant are taken for ours.
  const named = tenant.tenantId === null && tenant.organization === null ? tenantsIn(body) : [];
  const tenantId = tenant.tenantId ?? (named.length === 1 ? (named[0] ?? null) : null);
  const outcome = await given(
    found,
    recording,
    partsOf(cloud, tenantId),
    sourceOf(tenant, found.links),
    (made) => shown(made, status, cloud),
  );
  return 'made' in outcome && named.length > 1 ? { ...outcome, hint: SEVERAL } : outcome;
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
const WHOLE_BATCH: ReplayedCall<GraphParts> = {
  ...{ call: 'batch', at: 'api', path: /./ },
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
): Promise<Outcome> {
  const { request, status, body } = recording;
  if (status >= 300) return ofTenant(recording, WHOLE_BATCH, cloud, tenant);
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
    const single = {
      request: { method: method.toUpperCase(), url, body: sent },
      status: answer.status,
      headers: inLowerCase(answer.headers ?? {}),
      body: answer.body,
    };
    made.push({ id, ...(await replayedGraph(single, tenant)) });
  }
  return { call: 'batch', status, made };
}

async function batchOf(
  batch: string,
  other: (request: string) => Response | Promise<Response>,
): Promise<Response> {
  const responses = Batch.parse(JSON.parse(batch)).requests.map(async ({ id, method, url }) => {
    const response = await other(`${method} ${url}`);
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

/** An address with its secret is printed as whether it would be asked. */
function shown(made: unknown, status: number, cloud: GraphCloud): unknown {
  const isAct = typeof made === 'object' && made !== null && 'monitor' in made;
  if (isAct && typeof made.monitor === 'string')
    return { ...made, monitor: isMonitor(cloud, made.monitor) ? 'usable' : 'refused' };
  return bytesCounted(made, status);
}

function isMonitor(cloud: GraphCloud, address: string): boolean {
  try {
    return contentAddress(cloud, 'monitor', address).href !== '';
  } catch {
    return false;
  }
}
