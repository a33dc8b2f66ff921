import type { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { listPrincipals, type PrincipalFilter } from '../people/principals.sql.ts';
import { type PrincipalSchema, shownPrincipal } from '../people/principals.ts';
import type { Table } from './export-format.ts';
import type { Reading } from './start-export.ts';

type ShownPrincipal = z.input<typeof PrincipalSchema>;

const PAGE_SIZE = 1_000;

/** Pages of the people and service principals that the list has under a filter, by name. */
export async function* principalPages(
  reading: Reading,
  taxonomy: Visibility | null,
  filter: PrincipalFilter,
  now: number,
): AsyncGenerator<ShownPrincipal[]> {
  let page: ShownPrincipal[];
  let after: string | null = null;
  do {
    const place = after;
    page = await reading(async (tx) =>
      (await listPrincipals(tx, filter, PAGE_SIZE, now, { after: place, taxonomy })).map(shownPrincipal),
    );
    if (page.length > 0) yield page;
    after = page.at(-1)?.principalId ?? null;
  } while (page.length === PAGE_SIZE);
}

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
