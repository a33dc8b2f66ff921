import { z } from 'zod';
import { boundedFetch } from '../ai/bounded-fetch.ts';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import type { RenewalFailure } from './renewal-failures.ts';
import { ENTITLEMENT_VERSION } from './terms.ts';

const MAX_ANSWER_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;
/** Of the code or the entitlement. Other statuses say something of the address or the service. */
const REFUSALS = [400, 401, 403, 409, 410, 422];

/** Contains nothing of the request or the answer. */
export class ActivationServiceFailed extends Error {
  override readonly name = 'ActivationServiceFailed';
  readonly reason: RenewalFailure;

  constructor(reason: RenewalFailure) {
    super(`The activation service gave no usable entitlement: ${reason}`);
    this.reason = reason;
  }
}

/** What is sent. `docs/licensing.md` lists each member. */
type Request = { tenantId: string; challenge: string } & ({ code: string } | { entitlement: string });

const AnswerSchema = z.object({ entitlement: z.string().min(1).max(MAX_ANSWER_BYTES) });

/**
 * Sends a one-time code or the entitlement in force to the activation service at `address`, follows no redirect, and
 * returns the token that it answers. The token is not verified. Throws `ActivationServiceFailed`.
 */
export async function askActivationService(
  address: string,
  request: Request,
  signal: AbortSignal,
): Promise<string> {
  const act = 'code' in request ? 'activate' : 'renew';
  try {
    const response = await boundedFetch(MAX_ANSWER_BYTES)(`${address.replace(/\/+$/, '')}/v1/${act}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        ...request,
        entitlementVersion: ENTITLEMENT_VERSION,
        productVersion: PRODUCT_VERSION,
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (response.status !== 200) await response.body?.cancel();
    if (REFUSALS.includes(response.status)) throw new ActivationServiceFailed('refused');
    if (response.status !== 200) throw new ActivationServiceFailed('failed');
    return AnswerSchema.parse(JSON.parse(await response.text())).entitlement;
  } catch (error) {
    // The process ends, which says nothing of the service.
    signal.throwIfAborted();
    throw error instanceof ActivationServiceFailed ? error : new ActivationServiceFailed(reasonOf(error));
  }
}

function reasonOf(error: unknown): RenewalFailure {
  if (error instanceof DOMException) return 'timeout';
  const cause = error instanceof TypeError ? error.cause : undefined;
  if (
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof z.ZodError ||
    cause instanceof RangeError
  )
    return 'malformed';
  return 'unreachable';
}
