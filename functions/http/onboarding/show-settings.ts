import { loadSettings, SettingsSchema } from '../../../core/governance/settings.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const showSettings = endpoint({
  name: 'onboarding-show-settings',
  method: 'GET',
  path: '/api/onboarding/settings',
  summary: 'What evidence the tenant keeps of its assets',
  description: 'With the version of that setting.',
  access: can('tenant.profile.read'),
  transaction: 'read',
  response: SettingsSchema,
  handle: ({ tx }) => loadSettings(tx),
});
