import { glob } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Endpoint } from '../core/http/declaration.ts';
import { endpoints } from '../core/http/endpoint.ts';
import {
  type FunctionApp,
  installCoreModule,
  loadFunctionApp,
} from '../infra/local/functions-host/core-module.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Loads every function file, once in a process: what they register, and the endpoints among them. */
export async function loadFunctions(): Promise<{ app: FunctionApp; endpoints: Endpoint[] }> {
  installCoreModule();
  const { app } = await loadFunctionApp(
    () => undefined,
    async () => {
      for await (const file of glob('functions/**/*.ts', { cwd: root })) {
        await import(pathToFileURL(path.join(root, file)).href);
      }
    },
  );
  return { app, endpoints: endpoints() };
}
