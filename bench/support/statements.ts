import { withClient } from '../../core/db/client.ts';

/** Server settings with which statements are counted and timed. */
export const COUNTED = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
} as const;

/** The statements with the most total time, as a share of the time of all. */
export type LongestStatement = {
  share: number;
  msPerAsset: number;
  callsPerAsset: number;
  statement: string;
};

const LONGEST = 12;
/** The length of a statement in a table. */
const STATEMENT_CHARACTERS = 110;

export const countStatements = (adminUrl: string) =>
  withClient(adminUrl, (client) => client.query('create extension pg_stat_statements'));

export const forgetStatements = (adminUrl: string) =>
  withClient(adminUrl, (client) => client.query('select pg_stat_statements_reset()'));

type Row = { statement: string; calls: number; ms: number };

/** All statements since the statistics were reset: how many for an asset, and the slowest. */
export const statementsOf = (
  adminUrl: string,
  assets: number,
): Promise<{ statements: number; longest: LongestStatement[] }> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<Row>(`
      select regexp_replace(query, '\\s+', ' ', 'g') as statement, sum(calls)::float8 as calls,
             sum(total_exec_time + total_plan_time)::float8 as ms
        from pg_stat_statements where toplevel and dbid = (select oid from pg_database where datname = current_database())
       group by 1 order by 3 desc`);
    const total = rows.reduce((sum, { ms }) => sum + ms, 0);
    return {
      statements: rows.reduce((sum, { calls }) => sum + calls, 0) / assets,
      longest: rows.slice(0, LONGEST).map(({ statement, calls, ms }) => ({
        share: rounded(ms / total, 3),
        msPerAsset: rounded(ms / assets, 3),
        callsPerAsset: rounded(calls / assets, 2),
        statement: statement.slice(0, STATEMENT_CHARACTERS),
      })),
    };
  });

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
