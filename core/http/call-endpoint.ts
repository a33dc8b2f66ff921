import { HttpRequest } from '@azure/functions';
import { endpoints } from './endpoint.ts';
import { handleRequest } from './pipeline.ts';

/** A call of an endpoint. `path` is that of its declaration, `params` fills its parameters. */
export type EndpointCall = {
  method: 'GET' | 'POST';
  path: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
};

/**
 * Calls an endpoint of this process as a request from outside would: caller, CSRF, access, validation, audit and log are
 * those of the pipeline. Returns the status and the parsed JSON. Throws if no endpoint is declared so.
 */
export async function callEndpoint(
  { method, path, params = {}, query = {}, body }: EndpointCall,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: unknown }> {
  const endpoint = endpoints().find((each) => each.method === method && each.path === path);
  if (endpoint === undefined) throw new Error('No endpoint is declared so');
  const request = new HttpRequest({
    method,
    url: `http://localhost${path.replace(/\{.*/, '')}`,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    params: { ...params },
    query: Object.fromEntries(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    ...(body !== undefined && { body: { string: JSON.stringify(body) } }),
  });
  // Only streams need the invocation, and JSON is no stream.
  const { status = 200, body: answer } = await handleRequest(endpoint, request, '');
  return { status, body: JSON.parse(String(answer)) };
}
