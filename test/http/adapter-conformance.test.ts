import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const root = path.resolve(import.meta.dirname, '../..');
const SUITE = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const BASELINE = path.join(root, 'test/support/conformance-baseline.yaml');
/** What a server can be tested on that has tools of its own and nothing else. */
const MUST_PASS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

let database: TestDatabase;
let service: TestService;
let front: Server;
let results: string;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  front = await signedIn(await service.signInAs(PERSONA.financeOwner));
  results = mkdtempSync(path.join(tmpdir(), 'conformance-'));
});
afterAll(async () => {
  rmSync(results, { recursive: true, force: true });
  front.close();
  await service.close();
  await database.drop();
});

/** Passes requests on as they are, with a session: the suite knows no credentials. */
async function signedIn({ cookie, csrfToken }: SignedIn): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, cookie, 'x-svc-csrf': csrfToken };
    const { method, url } = incoming;
    const passed = request(`${service.url}${url}`, { method, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('passes the official conformance suite, but for what it does not have', async () => {
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/api/mcp`;
  const options = ['--url', url, '--suite', 'all', '--expected-failures', BASELINE, '--output-dir', results];
  const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
    execFile(process.execPath, [SUITE, 'server', ...options], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: `${stdout}\n${stderr}` }),
    );
  });
  expect(code, out).toBe(0);
  const folders = readdirSync(results);
  for (const scenario of MUST_PASS) {
    const folder = folders.find((name) => name.includes(`-${scenario}-`)) ?? 'none';
    const checks: { status: string }[] = JSON.parse(
      readFileSync(path.join(results, folder, 'checks.json'), 'utf8'),
    );
    expect(checks.length).toBeGreaterThan(0);
    expect(new Set(checks.map(({ status }) => status)), scenario).toEqual(new Set(['SUCCESS']));
  }
});
