import './refuse-old-node.ts';
import { once } from 'node:events';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../adapter/mcp-server.ts';
import { remoteService } from '../adapter/remote-service.ts';
import { loadAdapterConfig } from '../config/adapter-config.ts';
import { ConfigError } from '../config/config.ts';
import { errorFields } from '../observability/error-fields.ts';
import { takeFlags } from './options.ts';
import { stopRequested } from './stop-request.ts';

const USAGE = `npm run --silent mcp

Lets an assistant use the service over the Model Context Protocol on stdin and stdout, for one person: a principal of
the development tenant (SVC_MCP_PRINCIPAL), or a session (SVC_MCP_SESSION_COOKIE and SVC_MCP_CSRF_TOKEN) of the service
at SVC_MCP_URL. It reads and proposes; it approves and executes nothing. docs/adapter.md has the steps.`;

const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The adapter on stdin and stdout. Stdout carries the protocol only. */
async function main(): Promise<void> {
  takeFlags(USAGE);
  const { service, close } = remoteService(loadAdapterConfig());
  const stop = Promise.race([stopRequested(2), once(process.stdin, 'close')]);
  // What is thrown may hold what a client or the service sent.
  const onerror = (error: unknown) => console.error(`Failed: ${errorFields(error).errorClass}`);
  const served = serveStdio(() => createMcpServer(service, onerror), {
    transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
    maxSubscriptions: 0,
    onerror,
  });
  await stop;
  await served.close();
  await close();
}

await main().catch((error: unknown) => {
  // Anything else is a fault of the program and shows its stack.
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
process.exit();
