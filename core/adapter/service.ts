import { z } from 'zod';
import type { AdapterTool } from '../http/adapter-call.ts';
import type { EndpointCall } from '../http/call-endpoint.ts';
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';

/** The service as one principal uses it through the adapter. It says for which tool. Throws `Refused`. */
export type Service = (tool: AdapterTool, call: EndpointCall) => Promise<{ status: number; body: unknown }>;

/** Calls the service for one tool and returns the answer in the form of the schema. Throws `Refused`. */
export type Ask = <S extends z.ZodType>(answer: S, call: EndpointCall) => Promise<z.infer<S>>;

const EnvelopeSchema = z.object({
  error: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string().optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  correlationId: z.string().optional(),
});

/** The error body of the service (specification, *Errors*), or one of the adapter's own in the same form. */
export type Envelope = z.infer<typeof EnvelopeSchema>;

export class Refused extends Error {
  readonly envelope: Envelope;

  constructor(envelope: Envelope) {
    super(envelope.error);
    this.name = 'Refused';
    this.envelope = envelope;
  }
}

/** An answer that is not of this release, or of no such service. */
const unreadable = () =>
  new Refused({
    error: 'internal_error',
    message: 'The answer of the service has an unexpected form. Adapter and service must be of one release.',
  });

export const askFor =
  (service: Service, tool: AdapterTool): Ask =>
  async (answer, call) => {
    const { status, body } = await service(tool, call);
    if (status !== 200) throw refusalOf(body);
    const { success, data } = answer.safeParse(body);
    if (!success) throw unreadable();
    return data;
  };

/** What an error body says. */
export function refusalOf(body: unknown): Refused {
  const { success, data } = EnvelopeSchema.safeParse(body);
  return success ? new Refused(data) : unreadable();
}
