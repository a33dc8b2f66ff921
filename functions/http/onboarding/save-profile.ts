import { z } from 'zod';
import { ProfileRequestSchema, saveProfile } from '../../../core/governance/organization-profile.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const saveOrganizationProfile = endpoint({
  name: 'onboarding-save-profile',
  method: 'POST',
  path: '/api/onboarding/profile',
  summary: 'Save the profile of the organization',
  description: 'Omitted fields stay as they are. The first save requires `name`.',
  access: can('tenant.profile.write'),
  transaction: 'write',
  body: ProfileRequestSchema,
  response: z.object({ profileId: z.string() }),
  handle: ({ tx, principal, audit, now, body }) => saveProfile(tx, { principal, audit, now }, body),
});
