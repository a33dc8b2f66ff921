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
  summary: 'Change the data-handling settings',
  description:
    'Keep no excerpts, minimized ones or longer ones. The next scan of each scope derives its evidence again.',
  access: can('tenant.profile.write'),
  transaction: 'write',
  body: SettingsChangeSchema,
  response: SettingsSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, audit, body }) => changeSettings(tx, { principal, audit }, body),
});
