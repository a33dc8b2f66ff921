import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

type ModelRequest<Body> = { path: string; headers: IncomingHttpHeaders; body: Body };

/** Answers a request to a model. */
export type ModelStep<Body> = (response: ServerResponse, request: ModelRequest<Body>) => void;

/** Stands in for Azure OpenAI on loopback, and records the requests. */
export type ModelService<Body> = {
  endpoint: string;
  requests: readonly ModelRequest<Body>[];
  close(): Promise<void>;
};

export async function startModelService<Body>(answer: ModelStep<Body>): Promise<ModelService<Body>> {
  const requests: ModelRequest<Body>[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text) as Body };
    requests.push(request);
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const answerJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
