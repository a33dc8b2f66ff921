import pg from 'pg';
import { loadPeer } from '../support/peers.ts';
import type { PgBoss as PgBossModule } from './peers.ts';
import { batches, type MakeQueue } from './queue.ts';

export const QUEUE = 'task';

export const pgBoss: MakeQueue = async ({ adminUrl }, { atEnd }) => {
  const { PgBoss } = await loadPeer<PgBossModule>('pg-boss');
  const boss = new PgBoss({ connectionString: adminUrl, supervise: false, schedule: false });
  boss.on('error', console.error);
  await boss.start();
  atEnd(() => boss.stop({ graceful: false }));
  await boss.createQueue(QUEUE, { partition: true });
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  atEnd(() => admin.end());
  return {
    name: 'pg-boss',
    drainer: new URL('./drain-pg-boss.ts', import.meta.url),
    enqueue: async (jobs, perStatement) => {
      for (const numbers of batches(jobs, perStatement)) {
        await boss.insert(
          QUEUE,
          numbers.map((n) => ({ data: { n } })),
        );
      }
    },
    hasOpen: async () => {
      const { rows } = await admin.query(
        `select exists (select 1 from pgboss.job where state < 'completed') as open`,
      );
      return rows[0].open;
    },
    clear: async () => {
      await admin.query('truncate pgboss.job');
      await admin.query('vacuum (analyze) pgboss.job');
    },
  };
};
