import { z } from 'zod';
import { issuerOf } from '../../auth/identity-provider.ts';
import type { Config } from '../../config/config.ts';
import { type Answer, ask } from './ask.ts';
import { reasonOf } from './reason.ts';

const Discovery = z.object({ issuer: z.url(), jwks_uri: z.url().optional() });

/** What the provider publishes of itself, or why nothing usable came. */
export type Discovered =
  | { problem: string }
  | { problem: null; issuer: string; keySet: string | undefined; aheadMs: number | null };

/** Reads the discovery document of the configured issuer. */
export async function discoverProvider(config: Config, signal: AbortSignal): Promise<Discovered> {
  const base = (issuerOf(config) ?? '').replace(/\/$/, '');
  const answer = await ask(`${base}/.well-known/openid-configuration`, 'GET', signal).catch(
    (error: unknown) => ({ problem: `The provider cannot be reached: ${reasonOf(error)}.` }),
  );
  if ('problem' in answer) return answer;
  if (answer.status !== 200) return { problem: `The discovery document answers HTTP ${answer.status}.` };
  const { success, data } = Discovery.safeParse(jsonOf(answer));
  if (!success) return { problem: 'The issuer publishes no discovery document of an OpenID provider.' };
  return { problem: null, issuer: data.issuer, keySet: data.jwks_uri, aheadMs: answer.aheadMs };
}

/** Null if the body is not JSON. */
export function jsonOf({ body }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
