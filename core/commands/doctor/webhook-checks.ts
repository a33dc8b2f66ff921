import { randomUUID } from 'node:crypto';
import { webhookUrls } from '../../notifications/webhook-urls.ts';
import { ask } from './ask.ts';
import { type Check, fail, pass, skipped } from './check.ts';
import { reasonOf } from './reason.ts';

const REACH_STEP = 'If this machine may not call its own public address, run the doctor from one that may.';

export const WEBHOOK_CHECKS: readonly Check[] = [
  {
    id: 'webhook.handshake',
    proves: 'Both webhooks answer the validation handshake of a source at their public address.',
    needs: ['configuration.settings'],
    run: async ({ config }, signal) => {
      if (config.SVC_WEBHOOK_PUBLIC_URL === undefined) {
        if (!config.SVC_CHANGE_NOTIFICATIONS_ENABLED) return skipped('SVC_WEBHOOK_PUBLIC_URL is not set.');
        return fail(
          'Change notifications are on, and sources have no address to call.',
          'Set SVC_WEBHOOK_PUBLIC_URL, or turn SVC_CHANGE_NOTIFICATIONS_ENABLED off.',
        );
      }
      const { notificationUrl, lifecycleUrl } = webhookUrls(config);
      for (const url of [notificationUrl, lifecycleUrl]) {
        const problem = await handshakeProblem(url, signal);
        if (problem !== null)
          return fail(
            `The webhook address ${problem}.`,
            'Lead SVC_WEBHOOK_PUBLIC_URL to the service, with the path as it is and without a sign-in before it.',
            REACH_STEP,
          );
      }
      return pass('Both webhooks answered with the token.');
    },
  },
];

/** What is wrong with the answer, to complete "The webhook address …"; null if nothing is. */
async function handshakeProblem(url: string, signal: AbortSignal): Promise<string | null> {
  const token = `doctor ${randomUUID()}`;
  const address = `${url}?validationToken=${encodeURIComponent(token)}`;
  const answer = await ask(address, 'POST', signal).catch(reasonOf);
  if (typeof answer === 'string') return `cannot be reached: ${answer}`;
  if (answer.status >= 300 && answer.status < 400) return `redirects (HTTP ${answer.status})`;
  if (answer.status !== 200) return `answers HTTP ${answer.status}`;
  if (answer.body !== token || !answer.contentType.startsWith('text/plain'))
    return 'answers, but not as the service does';
  return null;
}
