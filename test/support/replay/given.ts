import { ConnectorError, DeltaCursorInvalid } from '../../../core/connectors/connector.ts';
import type { Recording } from './recording.ts';

/**
 * An answer to a request of the connector that the recording does not hold, as `GET <url>`.
 * @param other what else would be answered to another request
 */
type Respond = (
  request: string,
  sent: string,
  other: (request: string) => Response | Promise<Response>,
) => Response | Promise<Response>;
export type Besides = readonly (readonly [RegExp, Respond])[];

/** How a recording is given to the connector. */
export type ReplayedCall<Parts> = {
  call: string;
  /** Of the recording: on the API, or elsewhere, where contents and monitors are. */
  at: 'api' | 'elsewhere';
  /** How the path of the recording ends. */
  path: RegExp;
  method?: string;
  /** Further conditions. */
  when?: (recording: Recording) => boolean;
  /** The request that gets the recording, as `GET <url>`. The first one without it. */
  answers?: RegExp;
  besides?: Besides;
  /** Where links to a delta in the recording lead. That of the drive without it. */
  links?: string;
  /** The recording in the shape in which the connector asks for it. */
  as?: (body: unknown, recording: Recording) => unknown;
  read: (parts: Parts, recording: Recording) => Promise<unknown>;
};

/** What the calls of a source have in common. */
export type Replayed = {
  /** The field with which a list goes on. */
  next: string;
  /** Calls that read one page at a time, and so keep that field. */
  feeds: RegExp;
  /** What other requests get before a recording. */
  always: Besides;
  /** What they get that neither the recording nor its call answers. */
  otherwise: Besides;
  notFound: unknown;
  /** Links of the recording, as the connector would follow them. */
  linked?: (text: string) => string;
};

/** What the connector made of a recording: a result, or the error that it threw. */
export type Outcome = { call: string; status: number } & (
  | { made: unknown; hasNextPage?: true; hint?: string }
  | { error: ReturnType<typeof shownError> }
  | { notReplayed: string }
);

export const noCall = (status: number): Outcome => ({
  ...{ call: 'none', status },
  notReplayed: 'The connector makes no such call for a scan.',
});

/** The call of a table that a recording belongs to. The first that fits counts. */
export const callOf = <P>(
  calls: readonly ReplayedCall<P>[],
  at: ReplayedCall<P>['at'],
  path: string,
  recording: Recording,
): ReplayedCall<P> | undefined =>
  calls.find(
    (each) =>
      each.at === at &&
      each.path.test(path) &&
      (each.method === undefined || each.method === recording.request.method) &&
      each.when?.(recording) !== false,
  );

/**
 * Gives a recorded answer to the connector.
 * @param shown the result as it is printed
 */
export async function given<P>(
  found: ReplayedCall<P>,
  recording: Recording,
  parts: P,
  source: Replayed,
  shown: (made: unknown) => unknown,
): Promise<Outcome> {
  const { call, as } = found;
  const { status, body } = recording;
  const isObject = typeof body === 'object' && body !== null;
  const asAsked = as && isObject && status < 300 ? as(body, recording) : body;
  const isPaged = !source.feeds.test(call) && isObject && Boolean(Reflect.get(body, source.next));
  // The next page is another recording.
  const oneAnswer = isPaged ? { ...(asAsked as object), [source.next]: undefined } : asAsked;
  try {
    const made = await answeredBy({ ...recording, body: oneAnswer }, found, source, () =>
      found.read(parts, recording),
    );
    return { call, status, made: shown(made), ...(isPaged && { hasNextPage: true }) };
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

const WITHOUT_BODY = [204, 205, 304];
/** The body is given as it was read, without its transfer. */
const OF_TRANSFER = ['content-encoding', 'transfer-encoding', 'content-length'];

/**
 * Runs with a `fetch` that gives the recorded answer to one request, as often as it is made. Others get what there is for
 * them, or 404.
 */
async function answeredBy<P, T>(
  recording: Recording,
  { answers, besides = [] }: ReplayedCall<P>,
  { always, otherwise, notFound, linked = (text) => text }: Replayed,
  run: () => Promise<T>,
): Promise<T> {
  const { fetch } = globalThis;
  let first: string | null = null;
  const answerIn = (these: Besides, request: string) => these.find(([pattern]) => pattern.test(request))?.[1];
  const other = (request: string, sent = ''): Response | Promise<Response> =>
    answerIn([...besides, ...otherwise], request)?.(request, sent, other) ??
    Response.json(notFound, { status: 404 });
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    const request = `${init?.method ?? 'GET'} ${url}`;
    const sent = String(init?.body ?? '');
    if (answers?.test(request)) return responseOf(recording, linked);
    const asEver = answerIn(always, request);
    if (asEver) return asEver(request, sent, other);
    if (answers === undefined) first ??= request;
    return request === first ? responseOf(recording, linked) : other(request, sent);
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = fetch;
  }
}

export function responseOf(
  { status, headers, body }: Recording,
  linked: (text: string) => string = (text) => text,
): Response {
  const kept = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (OF_TRANSFER.includes(name)) continue;
    try {
      kept.set(name, name === 'location' ? linked(value) : value);
    } catch {
      // No server can have sent it.
    }
  }
  if (WITHOUT_BODY.includes(status)) return new Response(null, { status, headers: kept });
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? undefined);
  return new Response(text === undefined ? null : linked(text), { status, headers: kept });
}

/** Bytes by their number. Where a content is elsewhere, that is another answer. */
export const bytesCounted = (made: unknown, status: number): unknown => {
  const isContent = typeof made === 'object' && made !== null && 'bytes' in made;
  if (!isContent || !(made.bytes instanceof Uint8Array)) return made;
  return status < 300 ? { ...made, bytes: made.bytes.byteLength } : { state: 'redirected' };
};
