import { unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Visibility } from './principal.ts';

/** Condition: the domain in this column is one that the reader may see. */
export const withinDomains = (visibility: Visibility, column: Statement): Statement =>
  visibility.kind === 'tenant' ? sql`true` : sql`${column} = any(${visibility.domainIds}::text[])`;

/** The same condition with a parameter whose value the planner does not see, so that all readers share one plan. */
export const withinDomainsUnpeeked = (visibility: Visibility, column: Statement): Statement =>
  visibility.kind === 'tenant' ? sql`true` : sql`${column} = any(${unpeeked(visibility.domainIds)})`;
