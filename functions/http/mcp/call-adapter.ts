import { z } from 'zod';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { isAtMostDeep } from '../../../core/kernel/depth.ts';

/** Deeper than the arguments of any tool. */
const MAX_DEPTH = 16;

/** One message. Batches are refused: one request is one call. */
const MessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string().max(200).optional(),
    id: z
      .union([z.string().max(200), z.int()])
      .nullable()
      .optional(),
  })
  .refine((message) => isAtMostDeep(message, MAX_DEPTH), 'Is nested too deeply.');

export const callAdapter = endpoint({
  name: 'mcp-call',
  method: 'POST',
  path: '/api/mcp',
  summary: 'Model Context Protocol: tools for assistants',
  description:
    'Streamable HTTP without sessions; a client sends one message at a time. The tools read and propose with the ' +
    'rights that the caller has at that moment, and nothing approves or executes. Each call is audited as ' +
    '`adapter_called`. Answers of the protocol, errors of it too, are JSON-RPC. docs/adapter.md has the tools.',
  access: session,
  transaction: 'none',
  body: MessageSchema,
  maxBodyBytes: 64 * 1024,
  produces: ['application/json', 'text/event-stream'],
  statuses: [202, 400, 404, 406],
  errors: ['not_permitted'],
  handle: async ({ runtime: { config, log }, host, header, body, correlationId }) => {
    // The protocol's library is loaded when it is first used.
    const { answerMcp } = await import('../../../core/adapter/over-http.ts');
    const onFault = (error: unknown) =>
      log.error('internal_error', { route: callAdapter.path, correlationId }, error);
    return answerMcp({ config, host, header, body, correlationId, onFault });
  },
});
