import path from 'node:path';
import { startStack } from '../../infra/local/stack.ts';
import { announce, taskOfParent } from '../support/child.ts';

export type ServiceReady = { url: string; databaseUrl: string; sessionSecret: string };

const { dataDir } = await taskOfParent<{ dataDir: string }>();
const stack = await startStack({
  root: path.resolve(import.meta.dirname, '../..'),
  dataDir,
  port: 0,
  share: null,
  fresh: false,
  log: console.error,
});
const ready: ServiceReady = {
  url: stack.url,
  databaseUrl: stack.databaseUrl,
  sessionSecret: process.env.SVC_SESSION_SECRET ?? '',
};
announce(ready, stack.stop);
