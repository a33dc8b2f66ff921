import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';
import {
  DirectoryGroupSchema,
  DirectorySearchSchema,
  searchGroups,
} from '../../../core/people/search-directory.ts';

export const searchDirectoryGroups = endpoint({
  name: 'governance-search-directory-groups',
  method: 'GET',
  path: '/api/governance/directory/groups',
  summary: 'Search the directory for groups',
  description: 'At most 50 groups, by name. Each word of `q` begins a word of the name.',
  access: can('governance.owner.assign'),
  transaction: 'none',
  query: DirectorySearchSchema,
  response: listOf(DirectoryGroupSchema),
  errors: ['blocked_capability'],
  handle: ({ runtime, query }) => searchGroups(runtime, query.q),
});
