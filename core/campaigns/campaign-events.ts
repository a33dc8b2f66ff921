import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal, Visibility } from '../authz/principal.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { momentOf } from '../work/moment.sql.ts';
import { findCampaign } from './campaigns.sql.ts';
import { type CampaignState, CampaignStateSchema, withProgress } from './progress.sql.ts';

/** Streams of a process at once. Each reads its campaign every two seconds. */
const MAX_STREAMS = 50;
const MAX_OF_PERSON = 6;
/** Rights are read at the beginning, so a stream is short. The client goes on with another one. */
export const STREAM_MS = 120_000;
const MAX_BYTES = 256_000;
const POLL_MS = 2_000;
/** Something between says nothing for a minute and is cut off. */
const SIGN_OF_LIFE_MS = 15_000;
/** After the end. A client that does not close the stream would otherwise ask again at once. */
const RETRY_AFTER_END_MS = 60_000;

/** The streams that are open, each until when it ends at the latest: a stream that nobody reads on does not count for ever. */
const streams = new Set<{ principalId: PrincipalId; until: number }>();

export type EventsRequest = {
  runtime: { db: Db; clock: Clock; stopping: AbortSignal };
  principal: Principal;
  visibility: Visibility;
  campaignId: string;
  /** The id of the last event that the client has received. */
  lastEventId: string | null;
};

/**
 * The state of a campaign, and each change of it, as server-sent events. The id of an event is a mark of the state: a
 * client that has seen the present state receives the next one first. The stream ends with the campaign, after two
 * minutes, or when it is long. Throws `not_found` and `overloaded` where the first event is asked for.
 */
export async function* campaignEvents(request: EventsRequest): AsyncGenerator<string> {
  const { principalId } = request.principal;
  const now = request.runtime.clock();
  for (const each of streams) if (each.until < now) streams.delete(each);
  const own = [...streams].filter((each) => each.principalId === principalId);
  if (streams.size >= MAX_STREAMS || own.length >= MAX_OF_PERSON)
    throw new ServiceError('overloaded', 'Too many streams of events are open.');
  // Counted before anything is awaited, so that streams which are opened at once see each other.
  const stream = { principalId, until: now + STREAM_MS };
  streams.add(stream);
  try {
    yield* eventsFrom(request, stream.until);
  } finally {
    streams.delete(stream);
  }
}

async function* eventsFrom(request: EventsRequest, until: number): AsyncGenerator<string> {
  const { clock, stopping } = request.runtime;
  let state: CampaignState | null = await read(request);
  let sent = request.lastEventId;
  let bytes = 0;
  let lastAt = clock();
  yield `retry: ${POLL_MS}\n\n`;
  while (state !== null && bytes < MAX_BYTES) {
    const id = markOf(state);
    const hasEnded = state.finishedAt !== null;
    let text = '';
    if (id !== sent) text = `id: ${id}\nevent: state\ndata: ${JSON.stringify(state)}\n\n`;
    else if (clock() - lastAt >= SIGN_OF_LIFE_MS) text = ': no change\n\n';
    if (hasEnded) text += `retry: ${RETRY_AFTER_END_MS}\nevent: end\ndata: {}\n\n`;
    sent = id;
    bytes += Buffer.byteLength(text);
    if (text !== '') lastAt = clock();
    // An empty part is not sent, but ends the stream if the client has gone.
    yield text;
    if (hasEnded || clock() >= until) return;
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted || clock() >= until) return;
    state = await read(request).catch(goneOrThrow);
  }
}

const read = ({ runtime, principal, visibility, campaignId }: EventsRequest): Promise<CampaignState> =>
  withTx(runtime.db, { tenantId: principal.tenantId, mode: 'read', signal: runtime.stopping }, (tx: Tx) =>
    stateOf(tx, visibility, campaignId, runtime.clock),
  );

async function stateOf(tx: Tx, visibility: Visibility, campaignId: string, clock: Clock) {
  const campaign = await findCampaign(tx, visibility, campaignId);
  if (campaign === null) throw notFound();
  return CampaignStateSchema.parse(await withProgress(tx, campaign, momentOf(clock)));
}

/** A campaign that its reader no longer sees ends the stream. */
function goneOrThrow(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}

/** The same for the same state, whatever time has passed. */
function markOf({ progress: { growing }, ...state }: CampaignState): string {
  return createHash('sha256')
    .update(JSON.stringify([state, growing]))
    .digest('base64url')
    .slice(0, 22);
}
