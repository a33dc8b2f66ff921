import { loadFacts } from '../../../core/governance/onboarding-facts.sql.ts';
import { ProgressSchema, progressOf } from '../../../core/governance/onboarding-progress.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const showProgress = endpoint({
  name: 'onboarding-show-progress',
  method: 'GET',
  path: '/api/onboarding/progress',
  summary: 'Progress of the onboarding',
  description: 'The steps with their state and counts, and the next step.',
  access: can('tenant.profile.read'),
  transaction: 'read',
  response: ProgressSchema,
  handle: async ({ tx }) => progressOf(await loadFacts(tx)),
});
