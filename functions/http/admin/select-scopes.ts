import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { SOURCE_FAMILIES } from '../../../core/kernel/vocabulary.ts';
import { selectContainers } from '../../../core/messages/select-containers.ts';
import { selectScopes } from '../../../core/sources/select-scopes.ts';
import { SelectedSchema, SelectionSchema } from '../../../core/sources/selection.ts';

export const selectScopesOfSource = endpoint({
  name: 'admin-select-scopes',
  method: 'PUT',
  path: '/api/admin/connectors/{family}/selection',
  summary: 'Select the scopes of a source that are scanned',
  description:
    'Narrows what the configuration selects, and stays when the source is connected again. A scope that is not selected ' +
    'is not scanned any more. Its assets stay as they were last seen, or leave the inventory, as `unselected` says: the ' +
    'answer counts both. Of chat and mail, scopes are channels and mailboxes, and assets messages. An empty list also reconciles a source that is switched off. Selecting scopes of a source that is not configured is refused ' +
    'with the missing settings.',
  access: can('connector.configure'),
  transaction: 'write',
  params: z.strictObject({ family: z.enum(SOURCE_FAMILIES).describe('The source family') }),
  body: SelectionSchema,
  response: SelectedSchema,
  errors: ['blocked_capability', 'conflict'],
  handle: ({ runtime, tx, params: { family }, body, audit, now }) =>
    family === 'chat' || family === 'mail'
      ? selectContainers(runtime, tx, family, body, audit)
      : selectScopes(runtime, tx, family, body, { audit, now }),
});
