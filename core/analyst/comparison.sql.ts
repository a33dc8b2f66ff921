import { z } from 'zod';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import { type Measure, measureOf } from './comparison.ts';
import type { Asking } from './conditions.sql.ts';
import type { Plan } from './plan.ts';

/** A day without a measurement is that of the last one before it, if that was within so many days. */
const MAX_DAYS_BEFORE = 7;

export const PointSchema = z.object({
  day: z.iso.date().describe('The day of the measurement'),
  count: z.int(),
});
const Measured = PointSchema.nullable().describe(
  'Null if there was no measurement on that day or in the week before it. The later one is after the earlier day',
);
export const ComparedSchema = z.object({
  items: z.array(
    z.object({
      domainName: z.string().nullable().describe('Null: the whole tenant'),
      earlier: Measured,
      later: Measured,
      change: z.int().nullable().describe('Later count less the earlier one. Null if one of them is'),
    }),
  ),
  truncated: z.boolean(),
});
export type Compared = z.infer<typeof ComparedSchema>;

/** The counts of a plan on two days, by series: that of the tenant, or those of domains. Null if it compares nothing. */
export async function comparedOf(
  { tx, reach, domainIds }: Asking,
  { subject, where, groupBy, limit, compare }: Plan,
): Promise<Compared | null> {
  const measure = measureOf({ subject, where });
  if (compare === undefined || measure === null) return null;
  const asked = where.flatMap((each) => (each.field === 'domain' ? [each.any] : []));
  const isWhole = reach.kind === 'tenant' && asked.length === 0 && groupBy.length === 0;
  const wanted = domainIds.filter((id) => asked.every((any) => any.includes(id)));
  const point = (day: Statement) => sql`(
    select jsonb_build_object('day', t.day, 'count', ${countOf(measure)}) from trend_days t
     where t.tenant_id = ${tx.tenantId} and t.domain_id = s.domain_id and ${day}
     order by t.day desc limit 1)`;
  const near = (day: string) =>
    sql`t.day <= ${day}::date and t.day > ${day}::date - ${sql.whole(MAX_DAYS_BEFORE)}`;
  const rows = await tx.query<Omit<Compared['items'][number], 'change'>>(sql`
    with series as (${
      isWhole
        ? sql`select '' as domain_id, null::text as name`
        : sql`select d.domain_id, d.name from domains d
               where d.tenant_id = ${tx.tenantId} and d.domain_id = any(${wanted}::text[])
                 and ${withinDomains(reach, sql`d.domain_id`)}`
    })
    select s.name as "domainName", ${point(near(compare.earlier))} as earlier,
           ${point(sql`t.day > ${compare.earlier}::date and ${compare.later === undefined ? sql`true` : near(compare.later)}`)} as later
      from series s order by s.name limit ${sql.whole(limit + 1)}`);
  const items = rows.slice(0, limit).map((row) => ({
    ...row,
    change: row.earlier === null || row.later === null ? null : row.later.count - row.earlier.count,
  }));
  return { items, truncated: rows.length > limit };
}

function countOf({ of, severities }: Measure): Statement {
  if (severities !== null)
    return sql`(select coalesce(sum(value::int), 0) from jsonb_each_text(t.open_findings_by_severity)
                 where key = any(${[...severities]}::text[]))`;
  return {
    assets: sql`t.assets`,
    sensitive: sql`t.sensitive`,
    exposed: sql`t.exposed`,
    labeled: sql`t.labeled`,
    unlabeled: sql`t.assets - t.labeled - t.label_unknown`,
    openFindings: sql`t.open_findings`,
  }[of];
}
