import { z } from 'zod';
import type { CoreLogLevel } from './core-types.ts';
import { parseTimeSpan } from './time-span.ts';

/** A time span in milliseconds. The limits are inclusive. */
const timeSpan = (byDefault: string, minMs: number, maxMs: number) =>
  z
    .string()
    .default(byDefault)
    .transform((text, context) => {
      const ms = parseTimeSpan(text);
      if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
      context.issues.push({ code: 'custom', input: text, message: 'not a time span in the allowed range' });
      return z.NEVER;
    });

const LOG_LEVEL_ORDER = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'] as const;

const DAY_MS = 86_400_000;

/** The supported settings of `host.json` with the documented defaults. Other keys are ignored. */
const HostJsonSchema = z.object({
  version: z.literal('2.0'),
  functionTimeout: timeSpan('00:30:00', 1000, 10 * DAY_MS),
  extensions: z
    .object({
      http: z
        .object({
          routePrefix: z.string().max(256).default('api'),
          maxOutstandingRequests: z.int().min(-1).default(-1),
        })
        .prefault({}),
      queues: z
        .object({
          batchSize: z.int().min(1).max(32).default(16),
          newBatchThreshold: z.int().min(0).max(1000).optional(),
          maxPollingInterval: timeSpan('00:01:00', 100, DAY_MS),
          visibilityTimeout: timeSpan('00:00:00', 0, 7 * DAY_MS),
          maxDequeueCount: z.int().min(1).max(1000).default(5),
          messageEncoding: z.enum(['base64', 'none']).default('base64'),
        })
        .prefault({}),
    })
    .prefault({}),
  logging: z
    .object({
      logLevel: z
        .record(z.string(), z.string().toLowerCase().pipe(z.enum(LOG_LEVEL_ORDER)))
        .default({ default: 'information' }),
    })
    .prefault({}),
});

export type HostJson = z.infer<typeof HostJsonSchema>;
export type QueueSettings = HostJson['extensions']['queues'];

/** Checks the parsed content of a `host.json`. @throws Error that names every invalid setting */
export function parseHostJson(content: unknown): HostJson {
  const parsed = HostJsonSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`host.json is not valid: ${issues.join('; ')}`);
}

/** Whether an entry of `category` at `level` is logged. The longest configured prefix of the category decides. */
export function isLogged(
  logLevels: HostJson['logging']['logLevel'],
  category: string,
  level: CoreLogLevel,
): boolean {
  for (let prefix = category; ; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.')))) {
    const least = prefix === '' ? (logLevels.default ?? 'information') : logLevels[prefix];
    if (least !== undefined) return LOG_LEVEL_ORDER.indexOf(level) >= LOG_LEVEL_ORDER.indexOf(least);
  }
}
