import { front } from '../../infra/local/front.ts';
import { startFunctionsHost } from '../../infra/local/functions-host.ts';

/**
 * Serves an application folder by the local host, in a process of its own: `node image-host.ts FOLDER [GLOB…]`, by
 * default the one of an image. It prints the address, and ends gracefully on SIGTERM.
 * GLOB: the files that declare functions; PORT in the environment: where it listens, by default anywhere
 */
const [root = '', ...main] = process.argv.slice(2);
const host = await startFunctionsHost({
  root,
  main: main.length > 0 ? main : 'dist/main.js',
  port: Number(process.env.PORT ?? 0),
  ...front('idp'),
});
process.stdout.write(`${JSON.stringify({ url: host.url, functions: host.functions.length })}\n`);
process.once('SIGTERM', () => void host.close().then(() => process.exit(0)));
