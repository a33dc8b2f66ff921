import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';

const MAX_CONTENT = 100_000;

const scope = { scopeExternalId: z.string().min(1).max(100) };
const item = { ...scope, fileId: z.string().min(1).max(100) };
const name = z.string().min(1).max(255).optional();
const content = z.string().max(MAX_CONTENT).optional();

export const mutateFixtureEndpoint = endpoint({
  name: 'dev-mutate-fixture',
  method: 'POST',
  path: '/api/dev/fixture/mutate',
  summary: 'Change items of the development sources',
  description:
    'The next delta scan finds the change. Each action uses its own fields; `name`, `content` and `labelGuid` ' +
    'have defaults.',
  access: can('connector.configure'),
  devOnly: true,
  transaction: 'write',
  body: z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('add'), ...scope, name, content }),
    z.strictObject({ action: z.literal('edit'), ...item, content }),
    z.strictObject({ action: z.literal('rename'), ...item, name }),
    z.strictObject({ action: z.literal('set_label'), ...item, labelGuid: z.string().max(100).optional() }),
    z.strictObject({ action: z.enum(['overshare', 'restrict', 'clear_label', 'delete']), ...item }),
    z.strictObject({ action: z.literal('request_resync'), ...scope }),
  ]),
  response: z.object({
    fileId: z.string().nullable(),
    sourceVersion: z.string().nullable(),
    contentVersion: z.string().nullable(),
  }),
  errors: ['not_found', 'blocked_capability'],
  handle: async ({ runtime, tx, body, audit, now }) => {
    if (runtime.fixture === null) {
      throw new ServiceError(
        'blocked_capability',
        'The main connector does not read the fixture tenant: set SVC_CONNECTOR_MODE to mock.',
      );
    }
    const mutated = await runtime.fixture.mutate(tx, body, now);
    audit({
      category: 'config',
      type: 'fixture_mutated',
      target: { kind: 'fixture_item', id: mutated.fileId ?? body.scopeExternalId },
      details: { scopeExternalId: body.scopeExternalId, action: body.action },
    });
    return mutated;
  },
});
