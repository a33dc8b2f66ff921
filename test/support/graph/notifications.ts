import type { z } from 'zod';
import { guidOf } from './ids.ts';
import { GRAPH_TYPES } from './schemas.ts';
import type { Drive, Subscription, Tenant } from './state.ts';

type Notification = z.infer<typeof GRAPH_TYPES.changeNotification>;

type Waiting = { subscription: Subscription; notification: Notification };

/** What becomes of notifications on their way. */
export type Delivery = {
  /** Of each, in order: how often it arrives. 0 is lost, 2 is doubled. Default 1 for all. */
  copies?: (index: number) => number;
  /** In which order they go. Default: as they came. */
  order?: (waiting: readonly Waiting[]) => readonly Waiting[];
};

/** The endpoint has this long, then the service tries again later. */
const ANSWER_MS = 3_000;

type Sent = { url: string; status: number | null; notification: Notification };

/** Change notifications, which wait until a test delivers them. */
export function notifications(clock: () => number) {
  let waiting: Waiting[] = [];
  const sent: Sent[] = [];

  const shell = (tenant: Tenant, subscription: Subscription): Notification => ({
    ...{ subscriptionId: subscription.id, clientState: subscription.clientState, tenantId: tenant.id },
    subscriptionExpirationDateTime: new Date(subscription.expiresAt).toISOString(),
  });
  const post = async (url: string, notification: Notification): Promise<number | null> => {
    const body = GRAPH_TYPES.changeNotificationCollection.parse({ value: [notification] });
    let status: number | null = null;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      await response.arrayBuffer();
      status = response.status;
    } catch {
      // Nobody answered, or too late: the status stays null.
    }
    sent.push({ url, status, notification });
    return status;
  };

  return {
    sent: sent as readonly Sent[],
    /** A drive has changed: one waits for each subscription to it that is alive. */
    changed(tenant: Tenant, drive: Drive, sharing: boolean): void {
      for (const subscription of tenant.subscriptions.values()) {
        if (sharing && !subscription.security) continue;
        if (subscription.driveId !== drive.id || subscription.paused || subscription.expiresAt <= clock())
          continue;
        waiting.push({
          subscription,
          notification: {
            ...shell(tenant, subscription),
            ...{ changeType: 'updated', resource: `drives/${drive.id}/root` },
            resourceData: { '@odata.type': '#Microsoft.Graph.DriveItem' },
          },
        });
      }
    },
    get waiting(): number {
      return waiting.length;
    },
    /**
     * Sends what waits. What the endpoint does not take waits on, as the service tries again for hours.
     * @returns the answers of the endpoints, null where none came in time
     */
    async deliver({ copies = () => 1, order = (all) => all }: Delivery = {}): Promise<(number | null)[]> {
      const due = waiting.flatMap((one, at) => Array.from({ length: copies(at) }, () => one));
      waiting = [];
      const statuses: (number | null)[] = [];
      for (const one of order(due)) {
        const status = await post(one.subscription.notificationUrl, one.notification);
        if (status === null || status >= 300) waiting.push(one);
        statuses.push(status);
      }
      return statuses;
    },
    /** From somebody who knows the endpoint and not the secret; fields of a real one can be put in. */
    forge: (url: string, fields: Partial<Notification> = {}): Promise<number | null> =>
      post(url, {
        ...{ subscriptionId: guidOf('forged'), clientState: 'guessed', tenantId: guidOf('forged tenant') },
        ...{ changeType: 'updated', resource: 'drives/forged/root' },
        subscriptionExpirationDateTime: new Date(clock() + 3_600_000).toISOString(),
        ...fields,
      }),
    /** For drives only `reauthorizationRequired` is sent. Nothing else comes until the subscription is authorized. */
    async lifecycle(
      tenant: Tenant,
      lifecycleEvent: 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed',
    ): Promise<void> {
      for (const subscription of [...tenant.subscriptions.values()]) {
        if (lifecycleEvent === 'reauthorizationRequired') subscription.paused = true;
        if (lifecycleEvent === 'subscriptionRemoved') tenant.subscriptions.delete(subscription.id);
        if (subscription.lifecycleUrl === null) continue;
        await post(subscription.lifecycleUrl, { ...shell(tenant, subscription), lifecycleEvent });
      }
    },
  };
}
