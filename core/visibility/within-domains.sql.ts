import type { Visibility } from '../authz/principal.ts';
import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';

/** Whether the domain in this column is one that the reader's grant reaches. */
export const withinDomains = (visibility: Visibility, column: Statement): Statement =>
  visibility.kind === 'tenant' ? sql`true` : sql`${column} = any(${visibility.domainIds}::text[])`;

/** The same in a plan that the server keeps, whichever domains they are. */
export const withinDomainsUnpeeked = (visibility: Visibility, column: Statement): Statement =>
  visibility.kind === 'tenant' ? sql`true` : sql`${column} = any(${unpeeked(visibility.domainIds)})`;
