import type { BoxCall } from '../../kernel/vocabulary.ts';
import { type CountCall, countEnd } from '../cloud-http/exchange.ts';
import { requestToken, TOKEN_WITHIN_MS, type TokenRequest } from '../cloud-http/request-token.ts';
import { isThrottlingStatus } from '../cloud-http/retry.ts';
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

type TokenParts = { cloud: BoxCloud; count: CountCall<BoxCall> };

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
    const signal = AbortSignal.timeout(TOKEN_WITHIN_MS);
    const token = await from.token(signal);
    const first = await exchanged(parts, token, folderId);
    if (first !== null) return first;
    // The token itself may be what was refused.
    const another = await from.token(signal, token);
    return (
      (await exchanged(parts, another, folderId)) ?? {
        token: another,
        expiresAtMs: Date.now() + NOT_EXCHANGED_MS,
      }
    );
  });

/** Null if Box refuses. */
async function exchanged(parts: TokenParts, token: string, folderId: string): Promise<AcquiredToken | null> {
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
    return null;
  }
}

/** A token that was not exchanged may have so much of its life left, or is refused and acquired again. */
const NOT_EXCHANGED_MS = 10 * 60_000;

const granted = ({ cloud, count }: TokenParts, form: TokenRequest['form']): Promise<AcquiredToken> =>
  requestToken({
    url: new URL('/oauth2/token', cloud.apiOrigin),
    form,
    source: 'box',
    count: (status) => countEnd(count, 'token', status, isThrottlingStatus(status)),
  });
