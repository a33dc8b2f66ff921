import { z } from 'zod';
import { NcrontabInvalid, parseNcrontab } from '../kernel/ncrontab.ts';
import { ROLES } from '../kernel/vocabulary.ts';

export const flag = (about: string) => z.stringbool().default(false).describe(about);
export const text = (about: string) => z.string().trim().min(1).max(2048).optional().describe(about);
export const url = (about: string, protocol = /^https?$/) =>
  z.url({ protocol }).max(2048).optional().describe(about);
export const list = (about: string, byDefault = '') =>
  z
    .string()
    .max(8192)
    .default(byDefault)
    .transform((value) =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .describe(about);
/** One audience of access tokens, named as tokens name it. */
export const audience = (about: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(2048)
    .regex(/^[^*\s,]+$/, 'must be one audience as tokens name it, not a pattern and not a list')
    .optional()
    .describe(about);
/** Ids of Ed25519 public keys (RFC 7638), separated by commas. */
export const keyIds = (about: string) =>
  list(about)
    .refine(
      (ids) => ids.every((id) => /^[A-Za-z0-9_-]{43}$/.test(id)),
      'must have ids of 43 characters, which `GET /api/audit/checkpoints` tells as `keyId`',
    )
    .describe(about);
/** `value=role`, separated by commas. A value may contain `=`. */
export const roles = (about: string) =>
  z
    .string()
    .max(16_384)
    .default('')
    .transform((value, context) => {
      const pairs = value.split(',').filter((pair) => pair.trim() !== '');
      return pairs.map((pair) => {
        const at = pair.lastIndexOf('=');
        const claim = pair.slice(0, at).trim();
        const role = z.enum(ROLES).safeParse(pair.slice(at + 1).trim());
        if (at === -1 || claim === '' || !role.success) {
          context.addIssue(`must have entries like value=role; roles are ${ROLES.join(', ')}`);
          return z.NEVER;
        }
        return { claim, role: role.data };
      });
    })
    .describe(about);
export const whole = (about: string, min: number, max: number, byDefault: number) =>
  z.coerce.number().int().min(min).max(max).default(byDefault).describe(about);
/** An amount of money. */
export const amount = (about: string) =>
  z.coerce.number().min(0).max(1_000_000_000).optional().describe(about);
export const schedule = (about: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(256)
    .refine(occurs, 'must be an NCRONTAB expression of six fields: second minute hour day month weekday')
    .optional()
    .describe(about);

function occurs(expression: string): boolean {
  try {
    parseNcrontab(expression);
    return true;
  } catch (error) {
    if (!(error instanceof NcrontabInvalid)) throw error;
    return false;
  }
}

/** Price of a model for a million tokens. */
const Price = z.strictObject({
  input: z.number().min(0).max(1_000_000),
  output: z.number().min(0).max(1_000_000).default(0),
});
export type Prices = ReadonlyMap<string, z.infer<typeof Price>>;

/** A JSON object of prices by model. */
export const prices = (about: string) =>
  z
    .string()
    .min(2)
    .max(16_384)
    .transform((value, context): Prices => {
      const read = z.record(z.string().min(1).max(256), Price).safeParse(parsedJson(value));
      if (read.success) return new Map(Object.entries(read.data));
      context.addIssue(
        'must be JSON such as {"model": {"input": 0.15, "output": 0.6}}, with prices of 0 or more',
      );
      return z.NEVER;
    })
    .optional()
    .describe(about);

/** The name of an instance that the settings without a name describe. */
export const DEFAULT_INSTANCE = 'default';
const InstanceName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/)
  .refine((name) => name !== DEFAULT_INSTANCE);
const MAX_INSTANCES = 50;
const MAX_ISSUES = 5;

/** Names of what is selected, in JSON. */
export const names = z.array(z.string().trim().min(1).max(1_024)).max(1_000).default([]);

/** Instances of a source by name, each an object in JSON. Problems quote nothing of the value but names of instances. */
export const instances = <T extends z.ZodObject>(about: string, instance: T) =>
  z
    .string()
    .min(2)
    .max(65_536)
    .transform((value, context): ReadonlyMap<string, z.output<T>> => {
      const read = z.record(InstanceName, instance).safeParse(parsedJson(value));
      if (read.success && Object.keys(read.data).length <= MAX_INSTANCES)
        return new Map(Object.entries(read.data));
      for (const problem of new Set(read.error?.issues.slice(0, MAX_ISSUES).map(instanceProblem)))
        context.addIssue(problem);
      if (read.success) context.addIssue(`must have at most ${MAX_INSTANCES} instances`);
      return z.NEVER;
    })
    .optional()
    .describe(about);

function instanceProblem({ code, path, message }: z.core.$ZodIssue): string {
  if (path.length === 0) return 'must be a JSON object of instances by name';
  if (code === 'invalid_key')
    return `must name instances by small letters, digits and hyphens, and none ${DEFAULT_INSTANCE}`;
  return `${path.join('.')}: ${code === 'unrecognized_keys' ? 'has a field that is not known' : message}`;
}

function parsedJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** The name of another environment variable that holds a secret. The secret itself is never configured here. */
export const secretRef = (about: string) =>
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable')
    .optional()
    .describe(`${about} (the name of another environment variable that holds it)`);

/** A setting that may be given as the path of a file instead. */
export const file = (instead: string) =>
  z.string().min(1).max(4096).optional().describe(`Path of a file that holds ${instead}, instead of it`);

export const sessionSecret = z.string().min(8).max(1024);
