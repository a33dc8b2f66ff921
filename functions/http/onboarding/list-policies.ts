import {
  ListedPolicySchema,
  listedPolicies,
  MAX_POLICIES,
} from '../../../core/governance/policy-documents.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

export const listPolicyDocuments = endpoint({
  name: 'onboarding-list-policies',
  method: 'GET',
  path: '/api/onboarding/policy-documents',
  summary: 'The policy documents by title',
  description: 'The newest version of each document, with its sections and without its text.',
  access: can('governance.policy.read'),
  transaction: 'read',
  response: listOf(ListedPolicySchema),
  handle: async ({ tx }) => bounded(await listedPolicies(tx), MAX_POLICIES),
});
