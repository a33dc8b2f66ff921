import pg from 'pg';
import { loadPeer } from '../support/peers.ts';
import type { GraphileWorker } from './peers.ts';
import { batches, type MakeQueue } from './queue.ts';

export const graphileWorker: MakeQueue = async ({ adminUrl }, { atEnd }) => {
  const { makeWorkerUtils } = await loadPeer<GraphileWorker>('graphile-worker');
  const utils = await makeWorkerUtils({ connectionString: adminUrl });
  atEnd(async () => utils.release());
  await utils.migrate();
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  atEnd(() => admin.end());
  return {
    name: 'graphile-worker',
    drainer: new URL('./drain-graphile-worker.ts', import.meta.url),
    enqueue: async (jobs, perStatement) => {
      for (const numbers of batches(jobs, perStatement)) {
        await utils.addJobs(numbers.map((n) => ({ identifier: 'task', payload: { n } })));
      }
    },
    hasOpen: async () => {
      const { rows } = await admin.query(
        'select exists (select 1 from graphile_worker._private_jobs) as open',
      );
      return rows[0].open;
    },
    clear: async () => {
      await admin.query('truncate graphile_worker._private_jobs');
      await admin.query('vacuum (analyze) graphile_worker._private_jobs');
    },
  };
};
