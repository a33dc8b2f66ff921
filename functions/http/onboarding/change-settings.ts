import {
  changeSettings,
  SettingsChangeSchema,
  SettingsSchema,
} from '../../../core/governance/settings.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const changeTenantSettings = endpoint({
  name: 'onboarding-change-settings',
  method: 'PATCH',
  path: '/api/onboarding/settings',
  summary: 'Change what evidence is kept of assets',
  description:
    'None, minimized excerpts or longer ones. The next scan of each scope derives its evidence anew.',
  access: can('tenant.profile.write'),
  transaction: 'write',
  body: SettingsChangeSchema,
  response: SettingsSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, body }) => changeSettings(tx, { principal, audit }, body),
});
