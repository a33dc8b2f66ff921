import type { Config } from '../config/config.ts';

/** The URLs that the source calls. The mock calls none, so any address serves for it. */
export function webhookUrls({ SVC_WEBHOOK_PUBLIC_URL = 'https://webhook.invalid' }: Config): {
  notificationUrl: string;
  lifecycleUrl: string;
} {
  const base = SVC_WEBHOOK_PUBLIC_URL.replace(/\/$/, '');
  return {
    notificationUrl: `${base}/api/webhooks/graph/notifications`,
    lifecycleUrl: `${base}/api/webhooks/graph/lifecycle`,
  };
}
