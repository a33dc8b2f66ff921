import { app, type HttpMethod, type HttpRequest, type InvocationContext } from '@azure/functions';
import { z } from 'zod';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { Endpoint } from './declaration.ts';
import { anyone, endpoints, METHODS_OF } from './endpoint.ts';
import { handleRequest } from './pipeline.ts';

/** The methods that the programming model supports. The host itself refuses others. */
export const METHODS: HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** A substitute for the missing endpoint, so that the request passes through the same pipeline. */
const nowhere = (allowed: readonly string[]): Endpoint => ({
  name: 'zz-unmatched',
  method: 'GET',
  path: '/api/{*rest}',
  summary: 'Whatever no other route matches',
  access: anyone,
  transaction: 'none',
  params: z.unknown(),
  query: z.unknown(),
  handle: () => {
    if (allowed.length === 0) throw notFound();
    throw new ServiceError('method_not_allowed', `This path supports ${allowed.join(', ')}.`);
  },
});

/** Of a path without its first slash, and without one at its end. An empty segment between matches nothing. */
const segmentsOf = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');

function matches(template: string, path: readonly string[]): boolean {
  const segments = segmentsOf(template);
  const open = segments.at(-1)?.startsWith('{*') ?? false;
  if (open ? path.length < segments.length - 1 : path.length !== segments.length) return false;
  return path.every((value, index) => {
    const segment = segments[index];
    return (
      value !== '' && (segment === undefined || segment.startsWith('{') || segment === value.toLowerCase())
    );
  });
}

/** Methods of the endpoints at a path, sorted. */
function methodsAt(url: string): string[] {
  const path = segmentsOf(new URL(url).pathname);
  const found = endpoints().filter((endpoint) => matches(endpoint.path, path));
  return [...new Set(found.flatMap(({ method }) => METHODS_OF[method]))].sort();
}

/**
 * Registers the function for all other requests. An unknown path returns `not_found`, a wrong method on a known path
 * returns `method_not_allowed` with `Allow`. The Functions host tries routes in the order of function names, so this
 * name sorts last.
 */
export function answerUnmatched(): void {
  app.http('zz-unmatched', {
    methods: METHODS,
    authLevel: 'anonymous',
    route: 'api/{*rest}',
    handler: async (request: HttpRequest, { invocationId }: InvocationContext) => {
      const methods = methodsAt(request.url);
      // The host would have found an endpoint of this method: the path only looks like that of one.
      const allowed = methods.some((method) => method === request.method) ? [] : methods;
      const answer = await handleRequest(nowhere(allowed), request, invocationId);
      return answer.status === 405
        ? { ...answer, headers: { ...answer.headers, allow: allowed.join(', ') } }
        : answer;
    },
  });
}
