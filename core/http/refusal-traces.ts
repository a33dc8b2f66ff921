import type { Capability } from '../authz/capabilities.ts';
import type { Principal } from '../authz/principal.ts';
import { routeOf } from '../kernel/route.ts';
import type { Runtime } from '../runtime.ts';
import type { Endpoint } from './endpoint.ts';

/** A request of somebody who is signed in. */
type Asked = {
  runtime: Runtime;
  endpoint: Endpoint;
  principal: Principal;
  correlationId: string;
  now: number;
};

/** Audits that somebody lacks a capability, in a commit of its own, since the request itself leaves no trace. */
export const traceDenial = (asked: Asked, capability: Capability): Promise<void> =>
  asked.runtime.audit.append(sourceOf(asked), {
    category: 'auth',
    type: 'authorization_denied',
    details: calledOf(asked.endpoint),
    policyDecision: capability,
  });

/**
 * Counts that somebody was answered that nothing was found. Whether what they asked for is somebody else's or nobody's, the
 * work is the same. Where it fails, the answer is what it would have been.
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

const sourceOf = ({ principal: { tenantId, principalId }, correlationId, now }: Asked) => ({
  tenantId,
  principalId,
  correlationId,
  now,
});

/** The endpoint as it is declared: nothing of what stood in the path or in the query. */
const calledOf = ({ method, path }: Endpoint) => ({ method, route: routeOf(path) });
