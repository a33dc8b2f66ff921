import { loopbackCertificate } from '../certificate.ts';
import { type Listener, listen } from '../listen.ts';

const WEBHOOKS = /^\/api\/webhooks\/graph\/(notifications|lifecycle)(\?|$)/;

/**
 * TLS before the webhooks of a service that has none, as the front of a deployment is. It passes on the two webhooks and
 * nothing else.
 * @param service origin of the service; null until it serves
 */
export const startWebhookFront = (service: () => string | null): Promise<Listener> =>
  listen(async ({ method, url, headers, body }, response) => {
    const origin = service();
    if (origin === null || !WEBHOOKS.test(url)) {
      response.writeHead(404).end();
      return;
    }
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      body: method === 'POST' ? body : null,
      redirect: 'manual',
    });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    response
      .writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'application/octet-stream',
      })
      .end(bytes);
  }, loopbackCertificate());
