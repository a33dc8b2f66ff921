import { writeFile } from 'node:fs/promises';
import { startFunctionsHost } from '../../local/functions-host.ts';

/**
 * Serves the app of an image by the local functions host, where the real base starts Microsoft's. It takes folder and
 * port from the same variables, writes into the folder of the keys as that does, and ends gracefully on SIGTERM.
 */
const { AzureWebJobsScriptRoot: root = '', ASPNETCORE_URLS: urls = '' } = process.env;
let stop: () => Promise<void> = async () => process.exit();
process.once('SIGTERM', () => void stop());

await writeFile('/azure-functions-host/Secrets/host.json', '{}');
const host = await startFunctionsHost({
  root,
  main: 'dist/main.js',
  host: '0.0.0.0',
  port: Number(/:(\d+)$/.exec(urls)?.[1]),
  log: ({ level, category, message }) => {
    if (category === 'user' || level === 'error' || level === 'critical') console.log(message);
  },
});
stop = () => host.close().then(() => process.exit(0));
