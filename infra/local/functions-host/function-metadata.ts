import { z } from 'zod';
import type { RegisteredFunction } from './core-module.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

/** The function names that the Functions host accepts, except `host`. */
const FUNCTION_NAME = /^[a-z][a-z0-9_-]{0,127}$/i;
const METHODS = ['GET', 'POST', 'DELETE', 'HEAD', 'PATCH', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT'] as const;

const HttpBinding = z.object({
  type: z.literal('httptrigger'),
  authLevel: z.string().toLowerCase().pipe(z.literal('anonymous', 'only authLevel "anonymous" is served')),
  methods: z.array(z.string().toUpperCase().pipe(z.enum(METHODS))).min(1),
  route: z.string().max(2048).optional(),
});
const TimerBinding = z.object({
  type: z.literal('timertrigger'),
  schedule: z.string().min(1).max(256),
  runOnStartup: z.boolean().default(false),
  useMonitor: z.boolean().default(true),
});
const QueueBinding = z.object({
  type: z.literal('queuetrigger'),
  queueName: z.string().min(1).max(256),
  connection: z.string().default('AzureWebJobsStorage'),
});
const TriggerBinding = z.discriminatedUnion('type', [HttpBinding, TimerBinding, QueueBinding], {
  error: 'only http, timer and storage queue triggers are served',
});

/** `inputName` is the name of the trigger's binding, under which an invocation passes its input. */
type Served = { readonly name: string; readonly inputName: string; readonly registered: RegisteredFunction };

export type HttpFunction = Served & {
  readonly kind: 'http';
  readonly methods: readonly string[];
  /** Without a leading slash. Includes the route prefix. */
  readonly route: string;
};
export type TimerFunction = Served & {
  readonly kind: 'timer';
  readonly schedule: Schedule;
  readonly runOnStartup: boolean;
  readonly useMonitor: boolean;
};
export type QueueFunction = Served & {
  readonly kind: 'queue';
  readonly queueName: string;
  /** The name of the app setting with the connection string. */
  readonly connection: string;
};
export type ServedFunction = HttpFunction | TimerFunction | QueueFunction;

/** App settings by name. */
export type AppSettings = Readonly<Record<string, string | undefined>>;

/** Replaces every `%NAME%` with the app setting of that name. */
function resolveSettings(text: string, settings: AppSettings): string {
  return text.replace(/%([^%]+)%/g, (_, name: string) => {
    const value = settings[name];
    if (value === undefined) throw new Error(`the app setting "${name}" is not set`);
    return value;
  });
}

/** Refuses other bindings. The host would have to serve them, and supports only triggers and `http`. */
function refuseOtherBindings({ metadata }: RegisteredFunction, triggerName: string, isHttp: boolean): void {
  for (const [name, binding] of Object.entries(metadata.bindings)) {
    const isResponse = isHttp && name === '$return' && binding.type?.toLowerCase() === 'http';
    if (name !== triggerName && !isResponse) {
      throw new Error(`the binding "${name}" of type "${binding.type ?? ''}" is not served`);
    }
  }
  if (metadata.retryOptions != null) throw new Error('a retry policy is not served');
}

function routeOf(name: string, declared: string | undefined, routePrefix: string): string {
  const route = (declared?.trim() || name).replace(/^\/+|\/+$/g, '');
  if (/^(?:admin|runtime)/i.test(route)) throw new Error('the route conflicts with a built-in route');
  const prefix = routePrefix.replace(/^\/+|\/+$/g, '');
  return prefix === '' ? route : `${prefix}/${route}`;
}

function toServed(
  registered: RegisteredFunction,
  settings: AppSettings,
  routePrefix: string,
): ServedFunction {
  const { name, bindings } = registered.metadata;
  if (!FUNCTION_NAME.test(name) || name.toLowerCase() === 'host') throw new Error('the name is not valid');
  const triggers = Object.entries(bindings).filter(([, binding]) => /trigger$/i.test(binding.type ?? ''));
  const [trigger] = triggers;
  if (trigger === undefined || triggers.length > 1)
    throw new Error('a function must have exactly one trigger');
  const [inputName, binding] = trigger;
  const parsed = TriggerBinding.safeParse({ ...binding, type: binding.type?.toLowerCase() });
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '),
    );
  }
  const options = parsed.data;
  refuseOtherBindings(registered, inputName, options.type === 'httptrigger');
  const common = { name, inputName, registered };
  switch (options.type) {
    case 'httptrigger':
      return {
        ...common,
        kind: 'http',
        methods: options.methods,
        route: routeOf(name, options.route, routePrefix),
      };
    case 'timertrigger':
      return {
        ...common,
        kind: 'timer',
        schedule: parseSchedule(resolveSettings(options.schedule, settings)),
        runOnStartup: options.runOnStartup,
        useMonitor: options.useMonitor,
      };
    case 'queuetrigger':
      return {
        ...common,
        kind: 'queue',
        queueName: resolveSettings(options.queueName, settings).toLowerCase(),
        connection: options.connection === '' ? 'AzureWebJobsStorage' : options.connection,
      };
  }
}

/** Checks what an app has declared. @throws Error that names every unsupported function, with the reason */
export function toServedFunctions(
  registered: Iterable<RegisteredFunction>,
  settings: AppSettings,
  routePrefix: string,
): ServedFunction[] {
  const served: ServedFunction[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const candidate of registered) {
    const { name } = candidate.metadata;
    try {
      if (seen.has(name.toLowerCase())) throw new Error('another function has this name');
      seen.add(name.toLowerCase());
      served.push(toServed(candidate, settings, routePrefix));
    } catch (error) {
      problems.push(`"${name}": ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  if (problems.length > 0) throw new Error(`Functions that cannot be served: ${problems.join('; ')}`);
  return served;
}
