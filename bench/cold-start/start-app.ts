import { pathToFileURL } from 'node:url';
import { installCoreModule, loadFunctionApp } from '../../infra/local/functions-host/core-module.ts';

/** Loads a built app as the language worker does, after the packages that are named, and says what it cost. */
const [main = '', ...packages] = process.argv.slice(2);
const IDLE_MS = 2_000;

installCoreModule();
const { app } = await loadFunctionApp(
  () => undefined,
  async () => {
    for (const name of packages) await import(name);
    await import(pathToFileURL(main).href);
  },
);
const milliseconds = performance.now();
const { user, system } = process.cpuUsage();
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
