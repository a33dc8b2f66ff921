import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './errors.ts';
import type { TransportFault } from './faults.ts';

const LINKS = ['@odata.nextLink', '@odata.deltaLink'];

/** @returns the bytes of the body that the answer has, whatever of them arrives */
export async function send(
  response: ServerResponse,
  answer: Answer,
  faults: readonly TransportFault[],
): Promise<number> {
  let { status } = answer;
  const headers: Record<string, string> = { 'content-type': 'application/json', ...answer.headers };
  let bytes = bytesOf(answer.body);
  let slow: { chunkBytes: number; everyMs: number } | null = null;
  for (const fault of faults) {
    switch (fault.kind) {
      case 'delay':
        await sleep(fault.ms);
        break;
      case 'reset':
        response.destroy();
        return 0;
      case 'html':
        status = fault.status;
        headers['content-type'] = 'text/html';
        bytes = Buffer.from('<html><body><h1>Service Unavailable</h1></body></html>');
        break;
      case 'brokenJson':
        bytes = Buffer.concat([bytes.subarray(0, Math.max(1, bytes.length - 3)), Buffer.from('!')]);
        break;
      case 'foreignLink':
        bytes = bytesOf(relinked(answer.body, fault.origin));
        if (headers.location !== undefined) headers.location = moved(headers.location, fault.origin);
        break;
      case 'slow':
        slow = fault;
        break;
      case 'cut':
        response.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
        response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
        return bytes.length;
    }
  }
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
  if (slow !== null) await trickle(response, bytes, slow);
  response.end(slow === null ? bytes : undefined);
  return bytes.length;
}

export function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
}

const moved = (link: string, origin: string): string => {
  const url = new URL(link);
  return `${origin}${url.pathname}${url.search}`;
};

function relinked(body: unknown, origin: string): unknown {
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      LINKS.includes(name) ? moved(String(value), origin) : value,
    ]),
  );
}

async function trickle(
  response: ServerResponse,
  bytes: Uint8Array,
  { chunkBytes, everyMs }: { chunkBytes: number; everyMs: number },
): Promise<void> {
  for (let from = 0; from < bytes.length && !response.destroyed; from += chunkBytes) {
    response.write(bytes.subarray(from, from + chunkBytes));
    await sleep(everyMs);
  }
}
