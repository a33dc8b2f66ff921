import { z } from 'zod';
import { ROLES } from '../../../core/authz/capabilities.ts';
import { PRINCIPAL_KINDS } from '../../../core/authz/principal.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { listPrincipals, PRINCIPAL_STATUSES, ROLE_SOURCES } from '../../../core/people/principals.sql.ts';
import { PrincipalSchema } from '../../../core/people/principals.ts';

const LIMIT = 500;

export const listAllPrincipals = endpoint({
  name: 'admin-list-principals',
  method: 'GET',
  path: '/api/admin/principals',
  summary: 'People and service principals, with their roles',
  description:
    'Ordered by name. The source of a role is `granted` (by a person or from a terminal) or `claimed` (by the identity ' +
    'provider at the last sign-in). The identity is `bound`, or the person has not signed in yet: `invited`, known to the ' +
    '`directory`, or `none` of these.',
  access: can('principal.read'),
  transaction: 'read',
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Part of name, title, department or e-mail address'),
    role: z.enum(ROLES).optional(),
    source: z.enum(ROLE_SOURCES).optional(),
    status: z.enum(PRINCIPAL_STATUSES).optional(),
    kind: z.enum(PRINCIPAL_KINDS).optional(),
  }),
  response: listOf(PrincipalSchema),
  handle: async ({ tx, query, now }) => {
    const { items, truncated } = bounded(await listPrincipals(tx, query, LIMIT + 1, now), LIMIT);
    const shown = items.map(({ lastSignInAt, ...principal }) => ({
      ...principal,
      lastSignInAt: lastSignInAt?.toISOString() ?? null,
    }));
    return { items: shown, truncated };
  },
});
