import { z } from 'zod';
import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import type { BoxCall } from '../../kernel/vocabulary.ts';
import { CutOff, orCutOff, readJson, Unread } from '../cloud-http/read-body.ts';
import { type AcquiredToken, keptTokens, type TokenSource } from '../cloud-http/token-source.ts';
import { ConnectorError } from '../connector.ts';
import type { BoxCloud } from './box-calls.ts';

/** As whom the application reads: its service account, or a person of the enterprise. */
export type BoxSubject = { type: 'enterprise' | 'user'; id: string };

export type BoxIdentity = {
  clientId: string;
  /** Asked for with each token. Null if it is not there. */
  secret: () => string | null;
};

const WITHIN_MS = 30_000;
const Token = z.object({ access_token: z.string().min(1).max(8_192), expires_in: z.number().min(1) });

type TokenParts = { cloud: BoxCloud; count: (call: BoxCall, status: number | null) => void };

/** Tokens by client credentials. */
export const clientTokens = (
  parts: TokenParts,
  { clientId, secret }: BoxIdentity,
  subject: BoxSubject,
): TokenSource =>
  keptTokens(() => {
    const clientSecret = secret();
    if (clientSecret === null) throw new ConnectorError('auth', 'box_token_refused');
    return granted(parts, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      box_subject_type: subject.type,
      box_subject_id: subject.id,
    });
  });

/**
 * Tokens that can do nothing but read the contents below one folder, in exchange for others. Where Box does not exchange
 * them, those others themselves.
 */
export const downloadTokens = (parts: TokenParts, from: TokenSource, folderId: string): TokenSource =>
  keptTokens(async () => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const token = await from.token(signal);
    try {
      return await granted(parts, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        scope: 'item_download',
        resource: `${parts.cloud.apiOrigin}/2.0/folders/${folderId}`,
      });
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.retryClass !== 'auth') throw error;
      return { token, expiresAtMs: Date.now() + NOT_EXCHANGED_MS };
    }
  });

/** A token that was not exchanged may have so much of its life left, or is refused and acquired again. */
const NOT_EXCHANGED_MS = 10 * 60_000;

/** Only a token leaves with this, for the authority alone. What the answer says besides is dropped. */
async function granted(
  { cloud, count }: TokenParts,
  form: Readonly<Record<string, string>>,
): Promise<AcquiredToken> {
  try {
    const response = await orCutOff(
      fetch(new URL('/oauth2/token', cloud.apiOrigin), {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
        body: new URLSearchParams(form).toString(),
        redirect: 'manual',
        signal: AbortSignal.timeout(WITHIN_MS),
      }),
    );
    const { status, headers, ok } = response;
    count('token', status);
    if (!ok) {
      await response.body?.cancel();
      // A wrong secret, or an application that nobody has allowed, is answered with 400 or 401.
      const retryClass =
        status >= 400 && status < 500 && status !== 429 ? 'auth' : retryClassOfStatus(status);
      throw new ConnectorError(
        retryClass,
        `box_token_${status}`,
        retryAfterMs(headers.get('retry-after'), Date.now()),
      );
    }
    const parsed = Token.safeParse(await readJson(response));
    if (!parsed.success) throw new ConnectorError('transient', 'box_token_malformed');
    return { token: parsed.data.access_token, expiresAtMs: Date.now() + parsed.data.expires_in * 1_000 };
  } catch (error) {
    if (error instanceof Unread) throw new ConnectorError('transient', 'box_token_malformed');
    if (!(error instanceof CutOff)) throw error;
    count('token', null);
    throw new ConnectorError('transient', 'box_token_unreachable');
  }
}
