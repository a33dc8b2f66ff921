import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const build = path.resolve(import.meta.dirname, '../../infra/console/build.ts');

/** Builds the console in a process of its own. */
export const buildConsole = async (...options: string[]): Promise<void> => {
  await promisify(execFile)(process.execPath, [build, ...options]);
};

/** Builds the console into `dist/web`, where the service finds it, unless it is there already. */
export const withConsole = () => buildConsole('--if-stale');
