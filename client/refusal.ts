/** The codes of the specification, section *Errors*, and those that fill what it leaves open. */
export type ErrorCode =
  | 'validation_failed'
  | 'authentication_required'
  | 'license_required'
  | 'not_permitted'
  | 'csrf_token_invalid'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'blocked_capability'
  | 'internal_error'
  | 'not_configured'
  | 'overloaded';

type WithMessage = Exclude<ErrorCode, 'validation_failed' | 'csrf_token_invalid' | 'internal_error'>;

/** The body of a refusal. Narrow it by `error`. */
export type RefusalBody =
  | { error: 'validation_failed'; issues: { path: string; message: string }[] }
  | { error: 'csrf_token_invalid' }
  | { error: 'internal_error'; correlationId: string }
  | { [Code in WithMessage]: { error: Code; message: string } }[WithMessage];

type CodeOf<Body> = Body extends { error: infer Code } ? Code : never;

/** The service has answered, and did not do what was asked. */
export class Refusal<Body = RefusalBody> extends Error {
  readonly status: number;
  readonly body: Body;
  /** The id that the request has in the log of the service. */
  readonly correlationId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: Body & RefusalBody, headers: Headers) {
    super(messageOf(body));
    this.name = 'Refusal';
    this.status = status;
    this.body = body;
    this.correlationId = headers.get('x-svc-correlation');
    const seconds = headers.get('retry-after');
    this.retryAfterSeconds = seconds === null ? null : Number(seconds);
  }

  get code(): CodeOf<Body> {
    return (this.body as { error: CodeOf<Body> }).error;
  }
}

/** An answer that is not of the service, such as the page of a proxy. */
export class UnexpectedAnswer extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The answer with status ${status} has no error code of the service.`);
    this.name = 'UnexpectedAnswer';
    this.status = status;
  }
}

/** Whether the service refused, and with this code. */
export const isRefusal = <Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is Refusal<Extract<RefusalBody, { error: Code }>> => error instanceof Refusal && error.code === code;

function messageOf(body: RefusalBody): string {
  if ('message' in body) return body.message;
  if (body.error !== 'validation_failed') return body.error;
  return body.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ');
}

/** The refusal in an answer. */
export async function refusalIn(response: Response): Promise<Refusal | UnexpectedAnswer> {
  const body: unknown = await response.json().catch(() => null);
  const isRefusalBody = typeof body === 'object' && body !== null && 'error' in body;
  if (!isRefusalBody || typeof body.error !== 'string') return new UnexpectedAnswer(response.status);
  return new Refusal(response.status, body as RefusalBody, response.headers);
}
