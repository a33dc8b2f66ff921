import { z } from 'zod';
import { CAPABILITIES } from '../../../core/authz/capabilities.ts';
import { capabilitiesOf } from '../../../core/authz/principal.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { ROLES } from '../../../core/kernel/vocabulary.ts';

export const showPrincipal = endpoint({
  name: 'auth-show-principal',
  method: 'GET',
  path: '/api/auth/me',
  summary: 'Who is signed in',
  description:
    'Contains the CSRF token of the session. Requests that change something send it. Callers with an access token have none. ' +
    '`capabilities` names what the caller may do, somewhere: in the whole tenant, or in the domains that they own.',
  access: session,
  transaction: 'none',
  carriesSecret: true,
  response: z.object({
    principalId: z.string(),
    tenantId: z.string(),
    authMode: z.enum(['dev', 'idp']),
    displayName: z.string(),
    title: z.string(),
    department: z.string(),
    roles: z.array(z.enum(ROLES)),
    ownedDomains: z.array(z.string()),
    capabilities: z.array(z.enum(CAPABILITIES)),
    csrfToken: z.string().nullable(),
  }),
  handle: ({ principal, session: own }) => ({
    ...principal,
    roles: [...principal.roles],
    ownedDomains: [...principal.ownedDomains],
    capabilities: capabilitiesOf(principal),
    csrfToken: own?.csrfToken ?? null,
  }),
});
