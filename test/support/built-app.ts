import { existsSync, globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installCoreModule, loadFunctionApp } from '../../infra/local/functions-host/core-module.ts';

/**
 * Loads a build as the language worker does, then every other chunk: `node built-app.ts BUILD`. It prints what it has
 * seen as JSON.
 */
const build = process.argv[2] ?? '';
const load = (file: string) => import(pathToFileURL(path.join(build, file)).href);

/** The packages of which the loaded files have code, by the maps beside them. */
const packages = new Set<string>();
registerHooks({
  load(url, context, next) {
    const map = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
    const sources: string[] = existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')).sources : [url];
    for (const source of sources) {
      const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
      if (name !== undefined) packages.add(name);
    }
    return next(url, context);
  },
});
installCoreModule();
let refused: string | undefined;
const { app } = await loadFunctionApp(
  () => undefined,
  () =>
    load('main.js').catch((error: Error) => {
      refused = error.message;
    }),
);
const seen = {
  functions: app.functions.size,
  hooks: Object.values(app.hooks).flat().length,
  packagesAtStart: [...packages].sort(),
};
const others = globSync(['chunks/*.js', 'core/*/libraries/*.js', 'infra/**/*.js'], { cwd: build });
if (refused === undefined) for (const file of others) await load(file);
process.stdout.write(JSON.stringify({ ...seen, packages: [...packages].sort(), refused }));
process.exit();
