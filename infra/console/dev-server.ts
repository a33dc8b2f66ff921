import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import react from '@vitejs/plugin-react';
import { createServer } from 'vite';

const root = path.resolve(import.meta.dirname, '../..');

/** The console from its sources: a page takes each change over by itself. */
export type DevServer = { url: string; close(): Promise<void> };

/**
 * Serves the console for those who work on it, and hands calls of the API over to the service. Vite needs scripts in the
 * page, so the page has no policy here; it is tried as it is built.
 */
export async function serveFromSources(serviceUrl: string, port: number): Promise<DevServer> {
  // In a process of its own: it loads all functions.
  await promisify(execFile)(process.execPath, [path.join(root, 'client/generate.ts')]);
  const server = await createServer({
    configFile: false,
    root: path.join(root, 'web'),
    logLevel: 'warn',
    clearScreen: false,
    plugins: [react()],
    server: { host: '127.0.0.1', port, proxy: { '/api': serviceUrl } },
  });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? '', close: () => server.close() };
}
