import { randomUUID } from 'node:crypto';
import type { FunctionApp } from './core-module.ts';
import type {
  CoreInvocationContext,
  CoreLogCategory,
  CoreLogLevel,
  FunctionMetadata,
  ProgrammingModel,
  RpcInvocationResponse,
  RpcTraceContext,
  RpcTypedData,
} from './core-types.ts';
import type { ServedFunction } from './function-metadata.ts';

type InvocationInput = {
  readonly invocationId?: string;
  readonly data: RpcTypedData;
  readonly triggerMetadata?: Record<string, RpcTypedData>;
  readonly traceContext?: RpcTraceContext;
};

export type InvocationInfo = { readonly functionName: string; readonly invocationId: string };
type InvocationLog = (
  level: CoreLogLevel,
  category: CoreLogCategory,
  message: string,
  info: InvocationInfo,
) => void;

export type InvokerOptions = {
  readonly app: FunctionApp;
  readonly model: ProgrammingModel;
  readonly timeoutMs: number;
  readonly log: InvocationLog;
  readonly onError: (error: unknown, info: InvocationInfo) => void;
};

/** Runs functions like the language worker. */
export type Invoker = {
  /** @throws the error of the function or a hook after reporting it, or an Error after the timeout */
  invoke(served: ServedFunction, input: InvocationInput): Promise<RpcInvocationResponse>;
};

const readOnly = (property: string) => () => {
  throw new TypeError(`Cannot assign to read only property '${property}'`);
};

/** A hook context whose `fixed` properties are read-only, as in the worker. */
function hookContext(fixed: Readonly<Record<string, unknown>>, open: Record<string, unknown> = {}) {
  const properties = Object.entries(fixed).map(([name, value]) => [
    name,
    { get: () => value, set: readOnly(name), enumerable: true },
  ]);
  return Object.defineProperties(open, Object.fromEntries(properties));
}

/** Runs the hooks of application start or end in the order of registration. */
export async function runAppHooks(
  app: FunctionApp,
  name: 'appStart' | 'appTerminate',
  open: Record<string, unknown> = {},
): Promise<void> {
  const context = hookContext({ hookData: app.appLevelHookData, appHookData: app.appHookData }, open);
  for (const hook of app.hooks[name]) await hook(context);
}

class Invocation implements CoreInvocationContext {
  readonly invocationId: string;
  readonly request: CoreInvocationContext['request'];
  readonly metadata: FunctionMetadata;
  state: CoreInvocationContext['state'];
  readonly #write: InvocationLog;

  constructor(served: ServedFunction, input: InvocationInput, write: InvocationLog) {
    this.invocationId = input.invocationId ?? randomUUID();
    this.metadata = served.registered.metadata;
    this.request = {
      invocationId: this.invocationId,
      functionId: served.name,
      inputData: [{ name: served.inputName, data: input.data }],
      triggerMetadata: input.triggerMetadata ?? {},
      ...(input.traceContext === undefined ? {} : { traceContext: input.traceContext }),
    };
    this.#write = write;
  }

  get info(): InvocationInfo {
    return { functionName: this.metadata.name, invocationId: this.invocationId };
  }

  log(level: CoreLogLevel, category: CoreLogCategory, message: string): void {
    this.#write(level, category, message, this.info);
  }
}

async function runWithHooks(
  { app, model }: InvokerOptions,
  served: ServedFunction,
  invocation: Invocation,
): Promise<RpcInvocationResponse> {
  const { preInvocation, postInvocation } = app.hooks;
  let { callback } = served.registered;
  const invocationModel = await model.getInvocationModel(invocation);
  let { context, inputs } = await invocationModel.getArguments();
  const fixed = { hookData: {}, appHookData: app.appHookData, invocationContext: context };

  if (preInvocation.length > 0) {
    const open = { inputs, functionCallback: callback };
    hookContext(fixed, open);
    invocation.state = 'preInvocationHooks';
    for (const hook of preInvocation) await hook(open);
    ({ inputs, functionCallback: callback } = open);
  }

  const outcome: { inputs: unknown[]; result: unknown; error: unknown } = {
    inputs,
    result: null,
    error: null,
  };
  invocation.state = 'invocation';
  try {
    outcome.result = await invocationModel.invokeFunction(context, inputs, callback);
  } catch (error) {
    // The worker treats null and undefined as "no error", so a function that throws them succeeds there too.
    outcome.error = error;
  }

  if (postInvocation.length > 0) {
    hookContext(fixed, outcome);
    invocation.state = 'postInvocationHooks';
    for (const hook of postInvocation) await hook(outcome);
  }
  invocation.state = undefined;
  if (outcome.error !== null && outcome.error !== undefined) throw outcome.error;
  return invocationModel.getResponse(context, outcome.result);
}

export function createInvoker(options: InvokerOptions): Invoker {
  return {
    async invoke(served, input) {
      const invocation = new Invocation(served, input, options.log);
      // A function cannot be stopped from outside. After the timeout its result is dropped.
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<RpcInvocationResponse>((resolve, reject) => {
          const message = `The function ran longer than the configured ${options.timeoutMs} ms.`;
          timer = setTimeout(() => reject(new Error(message)), options.timeoutMs);
          runWithHooks(options, served, invocation).then(resolve, reject);
        });
      } catch (error) {
        options.log('error', 'system', 'The invocation failed.', invocation.info);
        options.onError(error, invocation.info);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
