import { z } from 'zod';
import { AcknowledgementSchema, acknowledge } from '../../../core/findings/acknowledge.ts';
import { FindingSchema } from '../../../core/findings/finding-list.sql.ts';
import { apartOf, batchOf, eachInTx, MAX_BATCH } from '../../../core/http/each-apart.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

const ReadFindingSchema = z.strictObject({
  findingId: z.string().min(1).max(64),
  revision: z.int().nonnegative(),
});

export const acknowledgeFindings = endpoint({
  name: 'findings-acknowledge-many',
  method: 'POST',
  path: '/api/findings/acknowledgements',
  summary: 'Acknowledge several findings',
  description:
    `At most ${MAX_BATCH}, each named with the revision that the caller has read. Each is acknowledged, audited and ` +
    'refused apart, as by a request of its own.',
  access: can('finding.acknowledge'),
  // Each acknowledgement has a transaction of its own.
  transaction: 'none',
  body: z.strictObject({
    note: AcknowledgementSchema.shape.note,
    findings: batchOf(ReadFindingSchema, ({ findingId }) => findingId),
  }),
  response: apartOf(FindingSchema),
  handle: (request) => {
    const { principal, visibility, body, now } = request;
    return eachInTx(
      request,
      body.findings,
      ({ findingId }) => findingId,
      (tx, audit, { findingId, revision }) =>
        acknowledge(tx, { principal, visibility, audit }, findingId, { note: body.note, revision }, now),
    );
  },
});
