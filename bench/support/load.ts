import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { at } from './at.ts';

export type LoadResult = { rps: number; p50: number; p95: number; p99: number };

/** A path and the session cookie of the caller. */
export type Call = { path: string; cookie: string };

/** The nth request of a connection. Both count from 0. */
export type CallOf = (connection: number, nth: number) => Call;

/** Sends GETs for about `seconds`. See `latenciesOf`. */
export async function applyLoad(
  urls: readonly string[],
  callOf: CallOf,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const started = performance.now();
  const latencies = await latenciesOf(urls, callOf, connections, seconds);
  return summaryOf(latencies.flat(), performance.now() - started);
}

/**
 * Sends GETs over keep-alive connections, sequentially on each, for about `seconds`. Uses plain sockets, because a
 * full HTTP client costs more than the compared servers and would hide the difference between them.
 * A refusal for overload (503) counts as infinitely late. Rejects if another answer is not a 200, or has no length.
 * @param urls processes of one service, among which connections are distributed
 * @param pauseMs between an answer and the next call
 * @returns the latencies of each connection in milliseconds
 */
export async function latenciesOf(
  urls: readonly string[],
  callOf: CallOf,
  connections: number,
  seconds: number,
  pauseMs = 0,
): Promise<number[][]> {
  const servers = urls.map((url) => new URL(url));
  const deadline = performance.now() + seconds * 1000;
  return Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const { hostname, port, host } = at(servers, connection);
      const latencies: number[] = [];
      let nth = 0;
      const next = () => {
        const { path, cookie } = callOf(connection, nth++);
        return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`;
      };
      // Spreads the starts of the connections.
      if (pauseMs > 0) await sleep((pauseMs * connection) / connections);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await converse(socket, next, deadline, pauseMs, latencies);
      return latencies;
    }),
  );
}

/** Summarizes latencies in milliseconds. `elapsed` is the total time. */
export function summaryOf(latencies: readonly number[], elapsed: number): LoadResult {
  const sorted = latencies.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return {
    rps: (sorted.length * 1000) / elapsed,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
  };
}

/** Resolves when the first answer after the deadline is complete. */
function converse(
  socket: Socket,
  next: () => string,
  deadline: number,
  pauseMs: number,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let due: number | null = null;
    let isRefused = false;
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(next());
    };
    const onAnswer = () => {
      const now = performance.now();
      latencies.push(isRefused ? Number.POSITIVE_INFINITY : now - sent);
      due = null;
      if (now < deadline) return pauseMs > 0 ? setTimeout(send, pauseMs) : send();
      resolve();
      socket.destroy();
    };
    socket.once('connect', send);
    socket.on('data', (chunk) => {
      if (due === null) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
        isRefused = head.startsWith('HTTP/1.1 503 ');
        if (!(isRefused || head.startsWith('HTTP/1.1 200 ')) || length === undefined) {
          socket.destroy(new Error(`Unexpected answer: ${head.split('\r\n', 1)}`));
          return;
        }
        due = Number(length) - (head.length - end - 4);
        head = '';
      } else {
        due -= chunk.length;
      }
      if (due === 0) onAnswer();
    });
    socket.once('error', reject);
    // Has no effect after an answer or an error.
    socket.once('close', () => reject(new Error('The service closed a connection')));
  });
}
