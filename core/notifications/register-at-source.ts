import { clientStateOf, secretIdOf } from './client-state.ts';
import type { Notifier, SubscriptionParts } from './notifier.ts';
import { SUBSCRIPTION_LIFETIME_MS } from './subscription-states.ts';
import { webhookUrls } from './webhook-urls.ts';

/** What a source has confirmed. `secretId`: of the secret that the client state is derived from. */
export type AtSource = { externalId: string; expiresAt: Date; secretId: string };

/** Registers a scope at its source, with the client state of the present session secret. */
export async function registerAtSource(
  { config, clock }: Pick<SubscriptionParts, 'config' | 'clock'>,
  notifier: Notifier,
  { subscriptionId, scopeExternalId }: { subscriptionId: string; scopeExternalId: string },
  signal: AbortSignal,
): Promise<AtSource> {
  const secret = config.SVC_SESSION_SECRET;
  const granted = await notifier.subscribe(
    {
      scopeExternalId,
      clientState: clientStateOf(secret, subscriptionId),
      ...webhookUrls(config),
      expiresAt: new Date(clock() + SUBSCRIPTION_LIFETIME_MS),
    },
    signal,
  );
  return { ...granted, secretId: secretIdOf(secret) };
}
