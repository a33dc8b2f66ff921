import type { AuditEntry } from '../audit/event.ts';
import type { Capability } from '../authz/capabilities.ts';
import type { Principal } from '../authz/principal.ts';
import { routeOf } from '../kernel/route.ts';
import type { Runtime } from '../runtime.ts';
import type { Endpoint } from './declaration.ts';

/** A request of a signed-in principal. */
type Asked = {
  runtime: Runtime;
  endpoint: Endpoint;
  principal: Principal;
  correlationId: string;
  now: number;
};

/** Audits a missing capability in its own commit, because the request itself is not stored. */
export const traceDenial = (asked: Asked, capability: Capability): Promise<void> =>
  asked.runtime.audit.append(sourceOf(asked), {
    category: 'auth',
    type: 'authorization_denied',
    details: calledOf(asked.endpoint),
    policyDecision: capability,
  });

/**
 * Counts a `not_found` response. The work is the same whether or not the requested resource exists. A failure does
 * not change the response.
 */
export const traceNotFound = (asked: Asked): Promise<void> => {
  const { runtime, endpoint, principal, correlationId } = asked;
  const answer = { source: sourceOf(asked), endpoint: endpoint.name, ...calledOf(endpoint) };
  return runtime.notFoundTrace
    .note(answer)
    .catch((error: unknown) =>
      runtime.log.warn(
        'not_found_uncounted',
        { route: endpoint.path, tenantId: principal.tenantId, correlationId },
        error,
      ),
    );
};

/** Audits a refused call of the adapter. A failure does not change the response. */
export const traceAdapterCall = (asked: Asked, called: AuditEntry): Promise<void> => {
  const { runtime, endpoint, principal, correlationId } = asked;
  return runtime.audit
    .append(sourceOf(asked), called)
    .catch((error: unknown) =>
      runtime.log.error(
        'adapter_call_unaudited',
        { route: endpoint.path, tenantId: principal.tenantId, correlationId },
        error,
      ),
    );
};

const sourceOf = ({ principal: { tenantId, principalId }, correlationId, now }: Asked) => ({
  tenantId,
  principalId,
  correlationId,
  now,
});

/** The endpoint as declared, without values of the path or the query. */
const calledOf = ({ method, path }: Endpoint) => ({ method, route: routeOf(path) });
