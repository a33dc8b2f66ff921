import { loadProfile, ProfileSchema } from '../../../core/governance/organization-profile.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { notFound } from '../../../core/kernel/errors.ts';

export const showProfile = endpoint({
  name: 'onboarding-show-profile',
  method: 'GET',
  path: '/api/onboarding/profile',
  summary: 'The profile of the organization',
  description: 'Answers 404 until the profile is saved.',
  access: can('tenant.profile.read'),
  transaction: 'read',
  response: ProfileSchema,
  errors: ['not_found'],
  handle: async ({ tx }) => {
    const profile = await loadProfile(tx);
    if (profile === null) throw notFound('There is no profile yet. Save one.');
    return { ...profile, updatedAt: profile.updatedAt.toISOString() };
  },
});
