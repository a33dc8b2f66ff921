import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A module that is started or loaded by its path. It has the extension of the module that asks, in the sources and in
 * the build. `infra/app/build-app.ts` names each.
 * @param name relative to `from`, without extension
 * @param from `import.meta.url`
 */
export const moduleBeside = (name: string, from: string): URL => new URL(`${name}${extname(from)}`, from);

/** Loads such a module at once, because an import would need a pause. */
export const loadBeside = <Module>(name: string, from: string): Module =>
  createRequire(from)(fileURLToPath(moduleBeside(name, from))) as Module;
