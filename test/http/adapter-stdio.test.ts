import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { connect, MCP_COMMAND } from '../support/adapter-client.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { runCommand } from '../support/run-command.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

let database: TestDatabase;
let service: TestService;
let owner: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  owner = await service.signInAs(PERSONA.financeOwner);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const sessionsOpen = async (): Promise<number> => {
  const [row] = await database.inspect<{ n: number }>(sql`
    select count(*)::int as n from sessions where principal_id = ${PERSONA.financeOwner} and revoked_at is null`);
  return row?.n ?? 0;
};
const endSessions = () =>
  database.inspect(sql`update sessions set revoked_at = now() where revoked_at is null`);

type Process = {
  ask(message: object | string): Promise<Record<string, never>>;
  out: () => string;
  err: () => string;
  /** Closes stdin and resolves with the exit code. */
  end(): Promise<number | null>;
};

/** The adapter as a client starts it, with these settings and no others. */
function start(env: Record<string, string>): Process {
  const child = spawn(process.execPath, [MCP_COMMAND], { env });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  return {
    ask: async (message) => {
      const answer = new Promise<string>((resolve) => {
        lines.once('line', resolve);
      });
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
      return JSON.parse(await answer);
    },
    out: () => out,
    err: () => err,
    end: () => {
      child.stdin.end();
      return exited;
    },
  };
}

const call = (id: number, name = 'list_taxonomy') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});
const textOf = (answer: object) =>
  (answer as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';

test('over stdio the newest revision of the protocol is served too, in a session', async () => {
  const form = { transport: 'stdio', revision: 'discovery', identity: 'session' } as const;
  const assistant = await connect(service, owner, form);
  try {
    expect((await assistant.client.listTools()).tools).toHaveLength(10);
    expect(await assistant.call('list_taxonomy')).toMatchObject({ isError: false, total: 1 });
    expect(assistant.said()).toBe('');
  } finally {
    await assistant.close();
  }
});

test('stdout carries the protocol only; the session ends with the process', async () => {
  const open = await sessionsOpen();
  const adapter = start({ SVC_MCP_URL: service.url, SVC_MCP_PRINCIPAL: PERSONA.financeOwner });
  expect(textOf(await adapter.ask(call(1)))).toMatch(/^1 of 1\./);
  expect(await sessionsOpen()).toBe(open + 1);
  // What is no message is told on stderr, without what it was.
  await adapter.ask(`canary-of-a-client\n${JSON.stringify(call(2))}`);
  expect(await adapter.end()).toBe(0);
  for (const line of adapter.out().trimEnd().split('\n')) expect(JSON.parse(line).jsonrpc).toBe('2.0');
  expect(`${adapter.out()}${adapter.err()}`).not.toContain('canary-of-a-client');
  expect(await sessionsOpen()).toBe(open);
});

test('a development principal is signed in again; a session that ended is reported', async () => {
  const adapter = start({ SVC_MCP_URL: service.url, SVC_MCP_PRINCIPAL: PERSONA.financeOwner });
  expect(textOf(await adapter.ask(call(1)))).toMatch(/^1 of 1\./);
  await endSessions();
  expect(textOf(await adapter.ask(call(2)))).toMatch(/^1 of 1\./);
  await adapter.end();

  const { cookie, csrfToken } = await service.signInAs(PERSONA.financeOwner);
  const env = { SVC_MCP_URL: service.url, SVC_MCP_SESSION_COOKIE: cookie, SVC_MCP_CSRF_TOKEN: csrfToken };
  const session = start(env);
  expect(textOf(await session.ask(call(1)))).toMatch(/^1 of 1\./);
  await endSessions();
  expect(textOf(await session.ask(call(2)))).toMatch(/^authentication_required: .+\nNext: Tell the person/);
  await session.end();
});

test('an unknown principal, a wrong token and an absent service are told at the call', async () => {
  const unknown = start({ SVC_MCP_URL: service.url, SVC_MCP_PRINCIPAL: 'pri_nobody_at_all' });
  expect(textOf(await unknown.ask(call(1)))).toMatch(
    /^validation_failed\n- principalId: No active principal/,
  );
  await unknown.end();

  const { cookie } = await service.signInAs(PERSONA.financeOwner);
  const env = { SVC_MCP_URL: service.url, SVC_MCP_SESSION_COOKIE: cookie, SVC_MCP_CSRF_TOKEN: 'wrong' };
  const forged = start(env);
  const question = { name: 'ask_analyst', arguments: { question: 'how many assets are there?' } };
  expect(textOf(await forged.ask({ ...call(1), params: question }))).toMatch(/^csrf_token_invalid\nNext: /);
  await forged.end();

  const absent = start({ SVC_MCP_URL: 'http://127.0.0.1:9', SVC_MCP_PRINCIPAL: PERSONA.financeOwner });
  const text = textOf(await absent.ask(call(1)));
  expect(text).toMatch(/^overloaded: The service cannot be reached at SVC_MCP_URL/);
  expect(text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|fetch/);
  expect(await absent.end()).toBe(0);
});

test('a configuration that is not usable is told on stderr, and nothing starts', async () => {
  const env = { SVC_MCP_SESSION_COOKIE: 'canary-of-a-session' };
  const { code, out, err } = await runCommand(MCP_COMMAND, [], { env });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^The configuration is not usable:\n {2}SVC_MCP_PRINCIPAL: /);
  expect(err).not.toContain('canary');
});
