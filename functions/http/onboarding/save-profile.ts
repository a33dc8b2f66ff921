import { z } from 'zod';
import { ProfileRequestSchema, saveProfile } from '../../../core/governance/organization-profile.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const saveOrganizationProfile = endpoint({
  name: 'onboarding-save-profile',
  method: 'POST',
  path: '/api/onboarding/profile',
  summary: 'Say what the organization is',
  description: 'What is left out stays as it was. The first save needs a `name`.',
  access: can('tenant.profile.write'),
  transaction: 'write',
  body: ProfileRequestSchema,
  response: z.object({ profileId: z.string() }),
  handle: ({ tx, principal, audit, now, body }) => saveProfile(tx, { principal, audit, now }, body),
});
