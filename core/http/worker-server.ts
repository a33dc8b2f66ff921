import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';

/**
 * The Functions host accepts 32 KiB of headers and adds some of its own. Node accepts 16 KiB unless it is set
 * otherwise.
 */
const MAX_HEADER_BYTES = 49_152;

/**
 * The host starts an invocation and then forwards its request to an HTTP server in the worker, which the programming
 * model starts. If Node refuses that request, with 431 or 417, the invocation waits for it until the function times
 * out, and nobody needs a session to cause that. So this server must accept what the host accepts. The setting
 * `languageWorkers__node__arguments` does the same for the headers, where the platform obeys it.
 */
subscribe('tracing:net.server.listen:asyncStart', (message) => {
  const { server } = message as { server: unknown };
  if (!(server instanceof Server) || bounds(server).maxHeaderSize !== undefined) return;
  bounds(server).maxHeaderSize = MAX_HEADER_BYTES;
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
});

/** Node reads it for each connection. Undefined where the creator of the server has set nothing. */
const bounds = (server: Server) => server as { maxHeaderSize?: number };
