import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Clock } from '../../core/kernel/clock.ts';
import { EntitlementRefused, verifyEntitlementOf } from '../../core/licensing/entitlement.ts';
import type { SignedTerms, Terms } from '../../core/licensing/terms.ts';
import type { Codes } from './codes.ts';
import { termsOf } from './offer.ts';
import { type Signer, signEntitlement } from './signer.ts';

const MAX_BODY_BYTES = 16 * 1024;

const Common = {
  tenantId: z.string().max(64),
  challenge: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  entitlementVersion: z.literal(2),
  productVersion: z.string().max(32),
};
const ActivateSchema = z.strictObject({ ...Common, code: z.string().max(128) });
const RenewSchema = z.strictObject({ ...Common, entitlement: z.string().max(8192) });

/** Answered with 403. */
class Refused extends Error {}

export type ActivationService = { url: string; close(): Promise<void> };

/**
 * A small activation service on loopback, for development and tests: `POST /v1/activate` takes a one-time code,
 * `POST /v1/renew` an entitlement of its own key. Both answer `{ entitlement }`. Of a renewal the terms stay, and their
 * length. @param port 0: any free one
 */
export async function startActivationService(parts: {
  signer: Signer;
  codes: Codes;
  clock: Clock;
  port?: number;
}): Promise<ActivationService> {
  const acts: Readonly<Record<string, (body: unknown) => Promise<SignedTerms>>> = {
    '/v1/activate': (body) => activate(parts, ActivateSchema.parse(body)),
    '/v1/renew': (body) => renew(parts, RenewSchema.parse(body)),
  };
  const server = createServer(async (request, response) => {
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const act = request.method === 'POST' ? acts[request.url ?? ''] : undefined;
    try {
      if (act === undefined) return send(404, { error: 'not_found' });
      const terms = await act(JSON.parse(await bodyOf(request)));
      return send(200, { entitlement: await signEntitlement(terms, parts.signer) });
    } catch (error) {
      if (error instanceof Refused) return send(403, { error: 'refused' });
      const isTheirs =
        error instanceof z.ZodError || error instanceof SyntaxError || error instanceof RangeError;
      return send(isTheirs ? 400 : 500, { error: isTheirs ? 'validation_failed' : 'internal_error' });
    }
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(parts.port ?? 0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

type Parts = { signer: Signer; codes: Codes; clock: Clock };

async function activate(
  { codes, clock }: Parts,
  { code, tenantId, challenge }: z.infer<typeof ActivateSchema>,
): Promise<SignedTerms> {
  const offer = await codes.redeem(code, tenantId);
  if (offer === null) throw new Refused();
  return termsOf(offer, clock(), challenge);
}

async function renew(
  { signer, clock }: Parts,
  { entitlement, tenantId, challenge }: z.infer<typeof RenewSchema>,
): Promise<SignedTerms> {
  const { issuedAt, endsAt, ...terms } = await verified(tenantId, entitlement, signer);
  const now = clock();
  return {
    ...terms,
    issuedAt: new Date(now).toISOString(),
    endsAt: new Date(now + endsAt - issuedAt).toISOString(),
    challenge,
  };
}

async function verified(tenantId: string, token: string, signer: Signer): Promise<Terms> {
  try {
    return await verifyEntitlementOf(tenantId, token, [signer]);
  } catch (error) {
    throw error instanceof EntitlementRefused ? new Refused() : error;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
