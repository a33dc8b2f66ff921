import { pathToFileURL } from 'node:url';
import { installCoreModule, loadFunctionApp } from '../../infra/local/functions-host/core-module.ts';

/** Loads a built app as the language worker does, and says what that cost. */
const [main = ''] = process.argv.slice(2);
const IDLE_MS = 2_000;

installCoreModule();
// What this process itself has loaded does not count.
const began = performance.now();
const before = process.cpuUsage();
const { app } = await loadFunctionApp(
  () => undefined,
  () => import(pathToFileURL(main).href),
);
const milliseconds = performance.now() - began;
const { user, system } = process.cpuUsage(before);
await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
process.stdout.write(
  `\n${JSON.stringify({
    functions: app.functions.size,
    milliseconds,
    cpuMilliseconds: (user + system) / 1_000,
    memoryMiB: process.memoryUsage().rss / 2 ** 20,
  })}`,
);
process.exit();
