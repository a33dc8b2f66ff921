import path from 'node:path';
import { runtime } from '../../core/runtime.ts';
import { startFunctionsHost } from '../../infra/local/functions-host.ts';
import { announce, taskOfParent } from '../support/child.ts';
import type { Recorded } from './plans.ts';

/** Serves HTTP on an existing database, without queue and timers, so that nothing else runs. */
const { databaseUrl } = await taskOfParent<{ databaseUrl: string }>();
Object.assign(process.env, {
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_SESSION_SECRET: 'bench-bench-bench-bench-bench-bench',
  SVC_DATABASE_URL: databaseUrl,
  SVC_LOG_LEVEL: 'error',
});

/** Statements are recorded between two messages of the parent. The second message is answered with them. */
let recorded: Recorded[] | null = null;
const { db } = await runtime();
db.pool.on('connect', (client) => {
  const query = client.query as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    const [{ text, values = [] }] = args as [{ text: string; values?: unknown[] }];
    recorded?.push({ text, values });
    return query.apply(client, args);
  }) as typeof client.query;
});
process.on('message', () => {
  if (recorded !== null) process.send?.(recorded);
  recorded = recorded === null ? [] : null;
});

const host = await startFunctionsHost({
  root: path.resolve(import.meta.dirname, '../..'),
  main: 'functions/http/**/*.ts',
});
announce({ url: host.url }, host.close);
