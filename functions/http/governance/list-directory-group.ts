import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';
import { DirectoryPersonSchema, listFound, peopleOfGroup } from '../../../core/people/search-directory.ts';

export const listDirectoryGroup = endpoint({
  name: 'governance-list-directory-group',
  method: 'GET',
  path: '/api/governance/directory/groups/{id}/people',
  summary: 'People of a group of the directory',
  description: 'At most 50 people, by name, also those of groups inside the group.',
  access: can('governance.owner.assign'),
  transaction: 'read',
  params: z.strictObject({ id: z.string().min(1).max(255) }),
  response: listOf(DirectoryPersonSchema),
  errors: ['blocked_capability'],
  prepare: ({ runtime, params }) => peopleOfGroup(runtime, params.id),
  handle: ({ tx, prepared }) => listFound(tx, prepared),
});
