import { readFileSync } from 'node:fs';
import { startFunctionsHost } from '../../infra/local/functions-host.ts';

/**
 * Serves a build as the Functions host does: `node built-host.ts BUILD PORT`. It is configured by the environment, tells
 * the parent when it serves, and ends when the parent says so or ends itself.
 */
const [build = '', port = ''] = process.argv.slice(2);
const host = await startFunctionsHost({
  root: build,
  main: 'main.js',
  hostJson: JSON.parse(readFileSync(new URL('../../host.json', import.meta.url), 'utf8')),
  port: Number(port),
  log: ({ level, message }) => {
    if (level === 'error' || level === 'critical') console.error(message);
  },
});
process.once('disconnect', async () => {
  await host.close();
  process.exit();
});
process.send?.('serving');
