import { AiError } from './provider.ts';

const ACQUIRE_WITHIN_MS = 30_000;

/**
 * Tokens of the host's Azure identity for the service at `endpoint`: a workload identity, a managed identity, or what
 * else `DefaultAzureCredential` finds. `@azure/identity` is imported with the first token, and keeps each until shortly
 * before it expires. The function throws `AiError` with `auth`.
 */
export function azureToken(endpoint: string): () => Promise<string> {
  let loaded: Promise<() => Promise<string>> | undefined;
  return async () => {
    loaded ??= import('@azure/identity').then(({ DefaultAzureCredential, getBearerTokenProvider }) =>
      getBearerTokenProvider(
        // The host names the authority, so nobody else is asked whether it exists.
        new DefaultAzureCredential({ disableInstanceDiscovery: true }),
        scopeOf(endpoint),
      ),
    );
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(reject, ACQUIRE_WITHIN_MS);
    try {
      return await Promise.race([loaded.then((token) => token()), late]);
    } catch {
      // Messages of the package quote the answer of the authority, with ids of the tenant.
      throw new AiError('auth');
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Sovereign clouds have a scope of their own. */
const scopeOf = (endpoint: string): string => {
  const cloud = /\.azure\.(us|cn)$/.exec(new URL(endpoint).hostname)?.[1] ?? 'com';
  return `https://cognitiveservices.azure.${cloud}/.default`;
};
