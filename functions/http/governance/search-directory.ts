import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';
import {
  DirectoryPersonSchema,
  DirectorySearchSchema,
  listFound,
  searchPeople,
} from '../../../core/people/search-directory.ts';

export const searchDirectory = endpoint({
  name: 'governance-search-directory',
  method: 'GET',
  path: '/api/governance/directory/people',
  summary: 'Search the directory for people',
  description:
    'People of whom each word of `q` begins a word of the name, the e-mail address or the department: at most 50, ' +
    'by name. `principalId` is null for people who are not known to the service yet. They are assigned by their ' +
    '`directoryId`.',
  access: can('governance.owner.assign'),
  transaction: 'read',
  query: DirectorySearchSchema,
  response: listOf(DirectoryPersonSchema),
  errors: ['blocked_capability'],
  prepare: ({ runtime, query }) => searchPeople(runtime, query.q),
  handle: ({ tx, prepared }) => listFound(tx, prepared),
});
