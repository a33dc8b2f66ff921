import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { CutOff, fieldOf, orCutOff, readError, readJson, Unread } from '../cloud-http/read-body.ts';
import { type AcquiredToken, keptTokens, type TokenSource } from '../cloud-http/token-source.ts';
import { ConnectorError } from '../connector.ts';
import type { DriveCloud } from './drive-cloud.ts';

/** Reads files, permissions and changes. */
export const READS = 'https://www.googleapis.com/auth/drive.readonly';
/** Changes files. The service never asks for it but to prove that nobody delegated it. */
export const WRITES = 'https://www.googleapis.com/auth/drive';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const WITHIN_MS = 30_000;
const LIVES_FOR_S = 3600;

const Key = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1).max(320),
  private_key: z.string().min(1).max(16_384),
  private_key_id: z.string().max(256).optional(),
});
const Granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

const failed = (
  reason: string,
  retryClass: ConnectorError['retryClass'] = 'auth',
  waitMs: number | null = null,
) => new ConnectorError(retryClass, `cloud_drive_token_${reason}`, waitMs);

/**
 * Tokens of a service account in the name of a person, by domain-wide delegation.
 * @param keyNow the text of the key file; asked for again for each token
 */
export const delegatedTokens = (
  cloud: DriveCloud,
  keyNow: () => string | null,
  person: string,
  scope: typeof READS | typeof WRITES = READS,
): TokenSource => keptTokens(async () => ask(cloud, await assertionFor(cloud, keyNow(), person, scope)));

async function assertionFor(
  { tokenOrigin }: DriveCloud,
  text: string | null,
  person: string,
  scope: string,
): Promise<string> {
  const key = Key.safeParse(parsed(text ?? ''));
  if (!key.success) throw failed('key_malformed');
  const { client_email, private_key, private_key_id } = key.data;
  const signing = await importPKCS8(private_key, 'RS256').catch(() => {
    // The package's message may quote the key.
    throw failed('key_malformed');
  });
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(private_key_id && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setSubject(person)
    .setAudience(`${tokenOrigin}/token`)
    .setIssuedAt()
    .setExpirationTime(`${LIVES_FOR_S}s`)
    .sign(signing);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** The key goes nowhere; the assertion goes to the authority alone, and no redirect is followed. */
async function ask({ tokenOrigin }: DriveCloud, assertion: string): Promise<AcquiredToken> {
  try {
    const response = await orCutOff(
      fetch(new URL('/token', tokenOrigin), {
        method: 'POST',
        body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }),
        redirect: 'manual',
        signal: AbortSignal.timeout(WITHIN_MS),
      }),
    );
    if (!response.ok) throw await refusal(response);
    const granted = Granted.safeParse(await readJson(response));
    if (!granted.success) throw failed('malformed', 'permanent');
    const { access_token, expires_in } = granted.data;
    return { token: access_token, expiresAtMs: Date.now() + expires_in * 1000 };
  } catch (error) {
    if (error instanceof Unread) throw failed('malformed', 'permanent');
    if (error instanceof CutOff) throw failed('unreachable', 'transient');
    throw error;
  }
}

/** `unauthorized_client`: the scope is not delegated. `invalid_grant`: the person is unknown or suspended. */
async function refusal(response: Response): Promise<ConnectorError> {
  const { status, headers } = response;
  const code = fieldOf(await readError(response), 'error');
  if (code === 'unauthorized_client') return failed('not_delegated');
  if (code === 'invalid_grant') return failed('person_refused');
  const retryClass = status >= 400 && status < 500 && status !== 429 ? 'auth' : retryClassOfStatus(status);
  return failed(String(status), retryClass, retryAfterMs(headers.get('retry-after'), Date.now()));
}
