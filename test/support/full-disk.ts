import { sql } from '../../core/db/sql.ts';
import type { TestDatabase } from './database.ts';

/**
 * What a full disk refuses, with the error of Postgres (53100). Rows that fit into pages that exist are still changed:
 * `additions` refuses new rows only. `all` refuses every change.
 */
type Refused = 'nothing' | 'additions' | 'all';

/** A database whose disk can be full. Call `refuse` to fill and to empty it. */
export async function makeFullDisk({ inspect }: Pick<TestDatabase, 'inspect'>) {
  await inspect(sql`create table full_disk (refused text not null)`);
  await inspect(sql`insert into full_disk values ('nothing')`);
  await inspect(sql`grant select on full_disk to public`);
  await inspect(sql`
    create function refuse_if_full() returns trigger language plpgsql as $$
    begin
      if exists (select from public.full_disk where refused = 'all' or refused = 'additions' and tg_op = 'INSERT') then
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end if;
      return null;
    end $$`);
  await inspect(sql`
    do $$ declare name text; begin
      for name in select relname from pg_class
                   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'full_disk'
      loop
        execute format('create trigger a_full_disk before insert or update or delete on public.%I
                        for each statement execute function public.refuse_if_full()', name);
      end loop;
    end $$`);
  return {
    refuse: async (refused: Refused) => {
      await inspect(sql`update full_disk set refused = ${refused}`);
    },
  };
}
