import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { OPEN_METRICS_TYPE } from '../observability/openmetrics.ts';
import { type DeploymentMetricsParts, deploymentMetrics } from './deployment-metrics.ts';

/** `GET /metrics` on a port of its own. */
export type MetricsServer = {
  /** Returns the port, or null where it and the next ones are taken. */
  start(): Promise<number | null>;
  close(): Promise<void>;
};

/** A Functions host starts several processes in one container, and each needs a port. */
const PORTS_TRIED = 10;
const LIMITS = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 75_000,
};
const MAX_CONNECTIONS = 50;

/** Null where no port is configured. The path shows no tenant, and asks for no credentials. */
export function createMetricsServer(
  config: Pick<Config, 'SVC_METRICS_PORT' | 'SVC_METRICS_INTERFACES'>,
  parts: DeploymentMetricsParts,
): MetricsServer | null {
  const { SVC_METRICS_PORT: first, SVC_METRICS_INTERFACES: interfaces } = config;
  if (first === undefined) return null;
  // Scrapers that come at once share one look at the database.
  let underWay: Promise<string> | undefined;
  const text = () => {
    underWay ??= deploymentMetrics(parts).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response, text).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  const listens = async (port: number) => {
    server.listen({ port, ...(interfaces === 'loopback' && { host: '127.0.0.1' }) });
    await once(server, 'listening');
  };
  return {
    start: async () => {
      for (let port = first; port < first + PORTS_TRIED && port <= 65_535; port++) {
        try {
          await listens(port);
          // Metrics do not keep a process alive.
          server.unref();
          return port;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        }
      }
      parts.log.warn('metrics_port_taken', { setting: 'SVC_METRICS_PORT' });
      return null;
    },
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, text: () => Promise<string>) {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== '/metrics') return response.writeHead(404).end();
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return response.writeHead(405, { allow: 'GET, HEAD' }).end();
  const body = await text();
  return response
    .writeHead(200, { 'content-type': OPEN_METRICS_TYPE, 'cache-control': 'no-store' })
    .end(body);
}
