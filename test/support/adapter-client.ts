import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { SignedIn, TestService } from './client.ts';

/** Revisions of the protocol: with a handshake, and with all that is needed in each request. */
const REVISIONS = { handshake: 'legacy', discovery: { pin: '2026-07-28' } } as const;

export const FORMS = [
  { transport: 'stdio', revision: 'handshake', identity: 'principal' },
  { transport: 'http', revision: 'handshake', identity: 'session' },
  { transport: 'http', revision: 'discovery', identity: 'session' },
] as const;
export type Form = {
  transport: 'stdio' | 'http';
  revision: keyof typeof REVISIONS;
  identity: 'principal' | 'session';
};

/** An answer of a tool. `text` is what an assistant reads; the rest is read from it. */
type ToolAnswer = {
  isError: boolean;
  text: string;
  total: number;
  totalIsExact: boolean;
  returned: number;
  truncated: boolean;
  note?: string;
  data: Record<string, unknown>;
};

/** An assistant that uses the service as one person. */
export type Assistant = {
  client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** What the process wrote to stderr; empty over HTTP. */
  said(): string;
  close(): Promise<void>;
};

export const MCP_COMMAND = new URL('../../core/commands/mcp.ts', import.meta.url).pathname;

/** The settings of `npm run mcp` for a person. */
const settingsFor = (service: TestService, who: SignedIn, identity: Form['identity']) => ({
  SVC_MCP_URL: service.url,
  ...(identity === 'principal'
    ? { SVC_MCP_PRINCIPAL: who.principalId }
    : { SVC_MCP_SESSION_COOKIE: who.cookie, SVC_MCP_CSRF_TOKEN: who.csrfToken }),
});

const ANSWER =
  /^(\d+) of (at least )?(\d+)\. truncated: (true|false)\.\n(?:([^\n]+)\n)?What stands between [\s\S]*?\n<(untrusted-data-\w+)>\n([\s\S]*)\n<\/\6>$/;

/** The counts, the note and the data of a text. Nothing of an error. */
export function readAnswer(text: string) {
  const [, returned, least, total, truncated, note, , data] = ANSWER.exec(text) ?? [];
  if (data === undefined) return {};
  return {
    total: Number(total),
    totalIsExact: least === undefined,
    returned: Number(returned),
    truncated: truncated === 'true',
    ...(note !== undefined && { note }),
    data: JSON.parse(data) as Record<string, unknown>,
  };
}

/** Connects an assistant over one of the forms. */
export async function connect(service: TestService, who: SignedIn, form: Form): Promise<Assistant> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: REVISIONS[form.revision] } },
  );
  let said = '';
  if (form.transport === 'stdio') {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MCP_COMMAND],
      env: settingsFor(service, who, form.identity),
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await client.connect(transport);
  } else {
    const headers = { cookie: who.cookie, 'x-svc-csrf': who.csrfToken };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/api/mcp', service.url), { requestInit: { headers } }),
    );
  }
  return {
    client,
    call: async (name, args = {}) => {
      const { isError = false, content } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return { isError, text, ...readAnswer(text) } as ToolAnswer;
    },
    said: () => said,
    close: () => client.close(),
  };
}
