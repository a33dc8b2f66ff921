import { z } from 'zod';
import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { ConnectorError } from '../connector.ts';
import { CutOff, orCutOff, readError, readJson, Unread } from './read-body.ts';
import type { AcquiredToken } from './token-source.ts';

export const TOKEN_WITHIN_MS = 30_000;
const Granted = z.object({ access_token: z.string().min(1).max(8_192), expires_in: z.number().positive() });

/** Whom a token is asked of, and how its refusals are named. */
export type TokenRequest = {
  url: URL;
  form: Readonly<Record<string, string>>;
  /** Begins diagnostics: `<source>_token_<status or reason>`. */
  source: string;
  /** The reason of an error's body that has a diagnostic of its own; null for any other. */
  reasonOf?: (body: unknown) => string | null;
  /** Counts an answer by its status; null if there was none. */
  count?: (status: number | null) => void;
};

/**
 * Asks an authority for a token. The form goes there alone, no redirect is followed, and of the answer nothing but the token
 * is kept. Throws `ConnectorError` of class `auth`, `throttled` or `transient`.
 */
export async function requestToken(request: TokenRequest): Promise<AcquiredToken> {
  const { url, form, source, count = () => undefined } = request;
  try {
    const response = await orCutOff(
      fetch(url, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new URLSearchParams(form),
        redirect: 'manual',
        signal: AbortSignal.timeout(TOKEN_WITHIN_MS),
      }),
    );
    count(response.status);
    if (!response.ok) throw await refusal(request, response);
    const granted = Granted.safeParse(await readJson(response));
    if (!granted.success) throw new ConnectorError('transient', `${source}_token_malformed`);
    const { access_token, expires_in } = granted.data;
    return { token: access_token, expiresAtMs: Date.now() + expires_in * 1_000 };
  } catch (error) {
    if (error instanceof Unread) throw new ConnectorError('transient', `${source}_token_malformed`);
    if (!(error instanceof CutOff)) throw error;
    count(null);
    throw new ConnectorError('transient', `${source}_token_unreachable`);
  }
}

async function refusal(
  { source, reasonOf = () => null }: TokenRequest,
  response: Response,
): Promise<ConnectorError> {
  const { status, headers } = response;
  const reason = reasonOf(await readError(response));
  if (reason !== null) return new ConnectorError('auth', `${source}_token_${reason}`);
  // A wrong secret, or an application that nobody has allowed, is answered with 400 or 401.
  const retryClass = status >= 400 && status < 500 && status !== 429 ? 'auth' : retryClassOfStatus(status);
  const afterMs = retryAfterMs(headers.get('retry-after'), Date.now());
  return new ConnectorError(retryClass, `${source}_token_${status}`, afterMs);
}
