import { z } from 'zod';
import { listPersonas } from '../../../core/auth/personas.sql.ts';
import { withEngineTx } from '../../../core/db/tx.ts';
import { anyone, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { ROLES } from '../../../core/kernel/vocabulary.ts';

const LIMIT = 200;

export const listDevelopmentPersonas = endpoint({
  name: 'auth-list-personas',
  method: 'GET',
  path: '/api/auth/dev/personas',
  summary: 'Active principals to sign in as',
  description: 'An empty list means that the database has not been seeded.',
  access: anyone,
  devOnly: true,
  transaction: 'none',
  errors: ['overloaded'],
  response: listOf(
    z.object({
      principalId: z.string(),
      tenantId: z.string(),
      displayName: z.string(),
      title: z.string(),
      department: z.string(),
      roles: z.array(z.enum(ROLES)),
    }),
  ),
  handle: async ({ runtime }) =>
    bounded(await withEngineTx(runtime.db, (tx) => listPersonas(tx, LIMIT + 1)), LIMIT),
});
