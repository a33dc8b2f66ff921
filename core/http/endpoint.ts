import { app, type HttpMethod } from '@azure/functions';
import type { z } from 'zod';
import type { Capability } from '../authz/capabilities.ts';
import type { Access, Endpoint, EndpointDeclaration, TransactionMode } from './declaration.ts';
import { handleRequest } from './pipeline.ts';
import './worker-server.ts';

export const anyone = { kind: 'anyone' } as const satisfies Access;
export const session = { kind: 'session' } as const satisfies Access;
/**
 * A source that calls back. No session is looked up and no CSRF token is required, even if the request has a cookie.
 * A body that cannot be read counts as `{}`. The handler decides what it trusts.
 */
export const source = { kind: 'source' } as const satisfies Access;
export const can = <C extends Capability>(capability: C) =>
  ({ kind: 'can', capability }) as const satisfies Access;

/** HEAD is allowed wherever GET is. The host removes the body. */
export const METHODS_OF: Record<Endpoint['method'], HttpMethod[]> = {
  GET: ['GET', 'HEAD'],
  POST: ['POST'],
  PUT: ['PUT'],
  PATCH: ['PATCH'],
  DELETE: ['DELETE'],
};

const registry = new Map<string, Endpoint>();

/** All endpoints whose files are loaded, in a stable order. */
export const endpoints = (): Endpoint[] =>
  [...registry.values()].sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));

/**
 * Declares an endpoint and registers it as an Azure Function. Routing, validation, authorization, audit, the OpenAPI
 * document and the contract tests all follow from the declaration.
 */
export function endpoint<
  A extends Access,
  T extends TransactionMode,
  R extends z.ZodType = z.ZodNever,
  P extends z.ZodType = z.ZodObject<Record<never, never>>,
  Q extends z.ZodType = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodObject<Record<never, never>>,
  N = undefined,
>(declaration: EndpointDeclaration<A, T, P, Q, B, R, N>): EndpointDeclaration<A, T, P, Q, B, R, N> {
  if (registry.has(declaration.name)) throw new Error(`endpoint ${declaration.name} is declared twice`);
  // A setting of the whole process, which must be made before it has started.
  if (registry.size === 0) app.setup({ enableHttpStream: true });
  registry.set(declaration.name, declaration);
  app.http(declaration.name, {
    methods: METHODS_OF[declaration.method],
    authLevel: 'anonymous',
    route: declaration.path.slice(1),
    handler: (request, { invocationId }) => handleRequest(declaration, request, invocationId),
  });
  return declaration;
}
