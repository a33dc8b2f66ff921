import { registerHooks } from 'node:module';
import type {
  CoreLogCategory,
  CoreLogLevel,
  FunctionCallback,
  FunctionMetadata,
  HookCallback,
  HookName,
  ProgrammingModel,
} from './core-types.ts';

/** The version that the language worker reports. The programming model reads it, but nothing depends on it. */
const WORKER_VERSION = '3.10.0';
const HOST_VERSION = '4.0.0';

export type RegisteredFunction = { readonly metadata: FunctionMetadata; readonly callback: FunctionCallback };

/** Everything that a function app has declared. */
export type FunctionApp = {
  readonly functions: Map<string, RegisteredFunction>;
  readonly hooks: Readonly<Record<HookName, HookCallback[]>>;
  /** Shared by all hooks. */
  readonly appHookData: object;
  /** Shared only by the hooks of application start and end. */
  readonly appLevelHookData: object;
  readonly log: (level: CoreLogLevel, category: CoreLogCategory, message: string) => void;
};

/** Errors with the flag of system errors, which the programming model checks. */
class CoreSystemError extends Error {
  readonly isAzureFunctionsSystemError = true;
}

class CoreRangeError extends RangeError {
  readonly isAzureFunctionsSystemError = true;
}

class Disposable {
  #dispose: (() => unknown) | undefined;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...disposables: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose();
    });
  }

  dispose(): void {
    this.#dispose?.();
    this.#dispose = undefined;
  }
}

/** The app that registrations belong to. A worker process serves one app, so module state is enough. */
let current: { app: FunctionApp; open: boolean } | undefined;
let programmingModel: ProgrammingModel | undefined;

const inApp = () => {
  if (current === undefined) throw new CoreSystemError('No function app is loaded.');
  return current;
};

function hooksOf(app: FunctionApp, name: string): HookCallback[] {
  const hooks = Object.hasOwn(app.hooks, name) ? app.hooks[name as HookName] : undefined;
  if (hooks === undefined) throw new CoreRangeError(`Unrecognized hook "${name}"`);
  return hooks;
}

const coreApi = {
  version: WORKER_VERSION,
  hostVersion: HOST_VERSION,
  Disposable,

  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    const { app, open } = inApp();
    if (!open) throw new CoreSystemError('A function can only be registered during app startup.');
    const id = metadata.functionId ?? metadata.name;
    if (app.functions.has(id)) {
      throw new CoreSystemError(`A function with id "${id}" has already been registered.`);
    }
    app.functions.set(id, { metadata, callback });
    return new Disposable(() => {
      if (current?.app !== app || !current.open) {
        throw new CoreSystemError('A function can only be disposed during app startup.');
      }
      app.functions.delete(id);
    });
  },

  registerHook(name: string, callback: HookCallback): Disposable {
    const hooks = hooksOf(inApp().app, name);
    hooks.push(callback);
    return new Disposable(() => {
      const index = hooks.indexOf(callback);
      if (index >= 0) hooks.splice(index, 1);
    });
  },

  setProgrammingModel(model: ProgrammingModel): void {
    programmingModel = model;
  },

  getProgrammingModel: () => programmingModel,

  log(level: CoreLogLevel, category: CoreLogCategory, message: string): void {
    current?.app.log(level, category, message);
  },
};

const SPECIFIER = '@azure/functions-core';
const VIRTUAL_URL = 'azure-functions-core:module';
/** The hook's source text is evaluated outside this module, so the object is passed by a well-known symbol. */
const GLOBAL_KEY = 'azure-functions-core';

let installed = false;

/** Makes `require('@azure/functions-core')` work as in the language worker. */
export function installCoreModule(): void {
  if (installed) return;
  installed = true;
  Object.defineProperty(globalThis, Symbol.for(GLOBAL_KEY), { value: coreApi, configurable: true });
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== SPECIFIER) return next(specifier, context);
      return { url: VIRTUAL_URL, format: 'commonjs', shortCircuit: true };
    },
    load(url, context, next) {
      if (url !== VIRTUAL_URL) return next(url, context);
      const source = `module.exports = globalThis[Symbol.for('${GLOBAL_KEY}')];`;
      return { format: 'commonjs', source, shortCircuit: true };
    },
  });
}

let loading: Promise<unknown> = Promise.resolve();

/**
 * Runs `load`, which imports the files that declare functions, and returns what they registered. One load at a time,
 * because a registration does not say which app it belongs to.
 */
export function loadFunctionApp(
  log: FunctionApp['log'],
  load: () => Promise<void>,
): Promise<{ app: FunctionApp; model: ProgrammingModel }> {
  const turn = loading.then(async () => {
    const app: FunctionApp = {
      functions: new Map(),
      hooks: { preInvocation: [], postInvocation: [], appStart: [], appTerminate: [] },
      appHookData: {},
      appLevelHookData: {},
      log,
    };
    const mine = { app, open: true };
    current = mine;
    try {
      await load();
    } finally {
      mine.open = false;
    }
    if (programmingModel === undefined) {
      throw new Error('No function was declared: no file registered one with the programming model.');
    }
    return { app, model: programmingModel };
  });
  loading = turn.catch(() => undefined);
  return turn;
}
