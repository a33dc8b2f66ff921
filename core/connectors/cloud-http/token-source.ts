import { untilAborted } from '../abort.ts';

/** Where tokens come from. */
export type TokenSource = {
  /**
   * A token. `refused` is a token that the service has just answered with 401: another one is acquired. Throws
   * `ConnectorError` of class `auth`, `throttled` or `transient`.
   */
  token(signal: AbortSignal, refused?: string): Promise<string>;
};

export type AcquiredToken = { token: string; expiresAtMs: number };

/** As early as the packages of vendors renew tokens; half the life of one that lives for less than twice this. */
const RENEWED_BEFORE_MS = 300_000;

/** Tokens that are kept until shortly before they expire. Concurrent callers share one acquisition. */
export function keptTokens(acquire: () => Promise<AcquiredToken>): TokenSource {
  let kept: { token: string; renewAt: number } | undefined;
  let acquiring: Promise<string> | undefined;

  const acquireAgain = async (): Promise<string> => {
    try {
      const { token, expiresAtMs } = await acquire();
      const now = Date.now();
      const lifeMs = expiresAtMs - now;
      kept = { token, renewAt: now + lifeMs - Math.min(RENEWED_BEFORE_MS, lifeMs / 2) };
      return token;
    } finally {
      acquiring = undefined;
    }
  };

  return {
    token: async (signal, refused) => {
      if (kept !== undefined && kept.token !== refused && Date.now() < kept.renewAt) return kept.token;
      return untilAborted(signal, () => {
        acquiring ??= acquireAgain();
        return acquiring;
      });
    },
  };
}
