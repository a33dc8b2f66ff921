import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { KEPT, type Kept } from './kept.sql.ts';
import { cutOff } from './oldest.sql.ts';

/** Counts end here, because a tenant can have millions of rows. */
const MAX_COUNTED = 10_000;

const Count = z.int().min(0).max(MAX_COUNTED);
const Timestamp = z.iso.datetime();

export const RetentionSchema = z.object({
  kind: z.string(),
  about: z.string(),
  days: z.int(),
  setting: z.string(),
  count: Count.describe(`How many there are; ${MAX_COUNTED} stands for that or more`),
  oldestAt: Timestamp.nullable(),
  due: Count.describe('How many of the oldest counted are older than the days, and go with the next sweeps'),
  needed: Count.describe('How many of the oldest counted are older, and stay because something needs them'),
  nextAt: Timestamp.nullable().describe('When the next one is older than the days, without those that are'),
});

type Retained = z.infer<typeof RetentionSchema>;

/** What is kept of each kind, for how long, how much there is, and what goes next. */
export const retentionReport = (tx: Tx, config: Config, now: number): Promise<Retained[]> =>
  Promise.all(KEPT.map((kept) => retained(tx, kept, config, now)));

async function retained(tx: Tx, kept: Kept, config: Config, now: number): Promise<Retained> {
  const { kind, about, setting, from, since, of, free } = kept;
  const before = cutOff(kept, config, now);
  const rows = sql`${from} where k.tenant_id = ${tx.tenantId} and ${of} and ${since} is not null`;
  const [found] = await tx.query<{
    count: number;
    oldest: Date | null;
    next: Date | null;
    due: number;
    needed: number;
  }>(sql`
    select (select count(*)::int from (select from ${rows} limit ${MAX_COUNTED}) each) as count,
           (select ${since} from ${rows} order by ${since} limit 1) as oldest,
           (select ${since} from ${rows} and ${since} >= ${before} order by ${since} limit 1) as next,
           old.due, old.needed
      from (select (count(*) filter (where free))::int as due, (count(*) filter (where not free))::int as needed
              from (select ${free} as free from ${rows} and ${since} < ${before}
                     order by ${since} limit ${MAX_COUNTED}) each) old`);
  if (found === undefined) throw new Error('The query for what is kept returned no row');
  const { count, oldest, next, due, needed } = found;
  const days = config[setting];
  const nextAt = next && new Date(next.getTime() + (now - before.getTime()));
  return {
    kind,
    about,
    days,
    setting,
    count,
    due,
    needed,
    oldestAt: oldest?.toISOString() ?? null,
    nextAt: nextAt?.toISOString() ?? null,
  };
}
