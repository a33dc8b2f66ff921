import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Keys = { id: string; secret: string; sessionToken?: string };
/** A refusal as S3 writes it. */
export type Refusal = { status: number; code: string; more?: Readonly<Record<string, string>> };

const SKEW_MS = 15 * 60_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Checks Signature Version 4 by itself. Null if S3 would take the request. */
export function refusalOf(
  request: IncomingMessage,
  keys: Keys,
  { region, now }: { region: string; now: number },
): Refusal | null {
  const denied = (code: string, status = 403, more = {}): Refusal => ({ status, code, more });
  const { authorization, 'x-amz-date': at = '' } = request.headers as Record<string, string>;
  if (authorization === undefined) return denied('AccessDenied');
  const parts = AUTHORIZATION.exec(authorization);
  if (parts === null) return denied('AuthorizationHeaderMalformed', 400);
  const [, id, day = '', signedRegion = '', signedHeaders = '', signature] = parts;
  const date = Date.parse(at.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!at.startsWith(day) || !(Math.abs(date - now) < SKEW_MS)) return denied('RequestTimeTooSkewed');
  if (id !== keys.id) return denied('InvalidAccessKeyId');
  if (request.headers['x-amz-security-token'] !== keys.sessionToken) return denied('InvalidToken', 400);
  if (signedRegion !== region) return denied('AuthorizationHeaderMalformed', 400, { Region: region });
  const names = signedHeaders.split(';');
  const mustSign = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'));
  if (!['host', ...mustSign].every((name) => names.includes(name))) return denied('AccessDenied');
  const url = new URL(request.url ?? '', 'http://service.test');
  const canonical = [
    request.method,
    url.pathname
      .split('/')
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${request.headers[name]}`),
    '',
    signedHeaders,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', at, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  );
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${keys.secret}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return expected === signature ? null : denied('SignatureDoesNotMatch');
}
