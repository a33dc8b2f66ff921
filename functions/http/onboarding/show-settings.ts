import { loadSettings, SettingsSchema } from '../../../core/governance/settings.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const showSettings = endpoint({
  name: 'onboarding-show-settings',
  method: 'GET',
  path: '/api/onboarding/settings',
  summary: 'The data-handling settings of the tenant',
  description: 'Contains the version of the settings.',
  access: can('tenant.profile.read'),
  transaction: 'read',
  response: SettingsSchema,
  handle: ({ tx }) => loadSettings(tx),
});
