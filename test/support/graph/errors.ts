/** What a handler answers. A body of bytes is sent as it is; anything else as JSON. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
};

/** Thrown by handlers: an answer with the vendor's error body. */
export class GraphError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  readonly innerCode: string | null;

  constructor(
    status: number,
    code: string,
    message: string,
    { headers = {}, innerCode = null }: { headers?: Record<string, string>; innerCode?: string | null } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.innerCode = innerCode;
  }
}

/** The shape that the documentation prints (`concepts/errors`) and that recorded answers have. */
export function errorAnswer(error: GraphError, now: number, requestId: string): Answer {
  const innerError = {
    ...(error.innerCode === null ? {} : { code: error.innerCode }),
    date: new Date(now).toISOString().slice(0, 19),
    'request-id': requestId,
    'client-request-id': requestId,
  };
  return {
    status: error.status,
    headers: error.headers,
    body: { error: { code: error.code, message: error.message, innerError } },
  };
}

export const itemNotFound = (): GraphError =>
  new GraphError(404, 'itemNotFound', 'The resource could not be found.');

/** Recorded for directory objects, which have codes of their own. */
export const objectNotFound = (): GraphError =>
  new GraphError(
    404,
    'Request_ResourceNotFound',
    'Resource does not exist or one of its queried reference-property objects are not present.',
  );

export const badRequest = (message: string, innerCode: string | null = null): GraphError =>
  new GraphError(400, 'invalidRequest', message, { innerCode });
