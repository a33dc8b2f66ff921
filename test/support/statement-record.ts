import type { Db } from '../../core/db/pool.ts';

/** Records the statements of a pool's connections in order, without their values. */
export type StatementRecord = {
  /** The statements since the last call. */
  take(): string[];
};

/** Records the statements of a pool that has not opened a connection yet. */
export function recordStatements({ pool }: Db): StatementRecord {
  let texts: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const recorded = (...args: unknown[]) => {
      const [statement] = args;
      texts.push(typeof statement === 'string' ? statement : (statement as { text: string }).text);
      return query(...args);
    };
    client.query = recorded as typeof client.query;
  });
  return {
    take: () => {
      const taken = texts;
      texts = [];
      return taken;
    },
  };
}
