import path from 'node:path';
import { startStack } from '../../infra/local/stack.ts';
import { announce, taskOfParent } from '../support/child.ts';
import { keepFewItems } from '../support/few-items.ts';

export type ServiceReady = { url: string; databaseUrl: string; sessionSecret: string };

const { dataDir, few } = await taskOfParent<{ dataDir: string; few: boolean }>();
const stack = await startStack({
  root: path.resolve(import.meta.dirname, '../..'),
  dataDir,
  port: 0,
  share: null,
  fresh: false,
  log: console.error,
});
if (few) await keepFewItems(process.env.SVC_MIGRATION_DATABASE_URL ?? '');
const ready: ServiceReady = {
  url: stack.url,
  databaseUrl: stack.databaseUrl,
  sessionSecret: process.env.SVC_SESSION_SECRET ?? '',
};
announce(ready, stack.stop);
