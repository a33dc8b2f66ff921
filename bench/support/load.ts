import { connect, type Socket } from 'node:net';

export type LoadResult = { rps: number; p50: number; p95: number };

/**
 * Sends the same GET over keep-alive connections, on each one after the other, for about `seconds`. Written on plain
 * sockets: a full HTTP client costs more than the servers that are compared and would hide what lies between them.
 * Latencies are in milliseconds. Rejects at an answer other than 200 and at one without a length.
 */
export async function applyLoad(
  target: { url: string; path: string; cookie: string },
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const { hostname, port, host } = new URL(target.url);
  const request = `GET ${target.path} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${target.cookie}\r\n\r\n`;
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(connect({ host: hostname, port: Number(port), noDelay: true }), request, deadline, latencies),
    ),
  );
  const elapsed = performance.now() - started;
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.ceil(share * latencies.length) - 1] ?? Number.NaN;
  return { rps: (latencies.length * 1000) / elapsed, p50: percentile(0.5), p95: percentile(0.95) };
}

/** Resolves when the first answer after the deadline is complete. */
function converse(socket: Socket, request: string, deadline: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let due: number | null = null;
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(request);
    };
    const onAnswer = () => {
      const now = performance.now();
      latencies.push(now - sent);
      due = null;
      if (now < deadline) return send();
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
        if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
          socket.destroy(new Error(`Not the answer of a running service: ${head.slice(0, 30)}`));
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
