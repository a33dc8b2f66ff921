import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const build = path.resolve(import.meta.dirname, '../../infra/console/build.ts');

/** Builds the console into `dist/web`, where the service finds it, in a process of its own, unless it is there already. */
export const withConsole = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [build, '--if-stale']);
};
