import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { listPrincipals, type PrincipalFilter } from '../people/principals.sql.ts';
import { type PrincipalSchema, shownPrincipal } from '../people/principals.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

type ShownPrincipal = z.input<typeof PrincipalSchema>;

/** Pages of the people and service principals that the list has under a filter, by name. */
export const principalPages = (
  reading: Reading,
  taxonomy: Visibility | null,
  filter: PrincipalFilter,
  now: number,
) =>
  pagesAfter(
    (after: string | null, limit) =>
      reading(
        async (tx): Promise<ShownPrincipal[]> =>
          (await listPrincipals(tx, filter, limit, now, { after, taxonomy })).map(shownPrincipal),
      ),
    ({ principalId }) => principalId,
  );

const COLUMNS = [
  'principalId',
  'kind',
  'displayName',
  'title',
  'department',
  'email',
  'status',
  'identity',
  'lastSignInAt',
] as const satisfies readonly (keyof ShownPrincipal)[];

export const principalTable: Table<ShownPrincipal> = {
  columns: [...COLUMNS, 'roles'],
  cells: (principal) => [
    ...COLUMNS.map((column) => principal[column]),
    [...new Set(principal.roles.map(({ role }) => role))].join(' '),
  ],
};
