import { front } from '../../infra/local/front.ts';
import { startFunctionsHost } from '../../infra/local/functions-host.ts';

/**
 * Serves the application folder of an image by the local host, in a process of its own: `node image-host.ts FOLDER`. It
 * prints the address, and ends gracefully on SIGTERM.
 */
const host = await startFunctionsHost({
  root: process.argv[2] ?? '',
  main: 'dist/main.js',
  ...front('idp'),
});
process.stdout.write(`${JSON.stringify({ url: host.url, functions: host.functions.length })}\n`);
process.once('SIGTERM', () => void host.close().then(() => process.exit(0)));
