import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';

/** `5s` or `1m`, in milliseconds. */
const Duration = z
  .string()
  .regex(/^\d+[sm]$/)
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('m') ? 60_000 : 1_000));
const Healthcheck = z.strictObject({
  test: z.array(z.string()),
  interval: Duration,
  timeout: Duration,
  retries: z.int(),
});

/** Every key that the file has. An unknown one is an error, so that nothing is left out unnoticed. */
const Service = z.strictObject({
  image: z.string(),
  build: z
    .strictObject({
      context: z.string(),
      dockerfile: z.string(),
      target: z.string().optional(),
      args: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
  profiles: z.array(z.string()).default([]),
  user: z
    .string()
    .regex(/^\d+:\d+$/)
    .optional(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.literal('ALL')).default([]),
  security_opt: z.array(z.literal('no-new-privileges:true')).default([]),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  shm_size: z.string().optional(),
  ports: z.array(z.string()).default([]),
  healthcheck: Healthcheck.optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(['service_healthy', 'service_completed_successfully']),
        required: z.boolean().default(true),
      }),
    )
    .default({}),
  deploy: z.strictObject({ replicas: z.int() }).default({ replicas: 1 }),
  stop_grace_period: Duration.default(10_000),
  // Without effect here: all containers share one network, none is restarted, and logs are kept for the proof only.
  networks: z.array(z.string()).optional(),
  restart: z.string().optional(),
  logging: z.unknown().optional(),
});
export type Service = z.infer<typeof Service>;

const ComposeFile = z.object({
  services: z.record(z.string(), Service),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

export type Project = {
  /** The folder of the file, which its paths are relative to. */
  folder: string;
  /** Those that the active profiles have, by name. */
  services: ReadonlyMap<string, Service>;
  /** Files on this machine, by the name of the secret. */
  secrets: Readonly<Record<string, { file: string }>>;
};

/**
 * Reads a compose file with the `.env` beside it, as `docker compose` does.
 * @param envFile takes the place of `.env`
 */
export async function readProject(file: string, envFile = '.env'): Promise<Project> {
  const folder = path.dirname(file);
  const env = parseEnv(await readFile(path.join(folder, envFile), 'utf8'));
  const document: unknown = parse(await readFile(file, 'utf8'), { merge: true });
  const { services, secrets } = ComposeFile.parse(interpolated(document, env));
  const active = env.COMPOSE_PROFILES?.split(',') ?? [];
  const started = Object.entries(services).filter(
    ([, { profiles }]) => profiles.length === 0 || profiles.some((profile) => active.includes(profile)),
  );
  return { folder, services: new Map(started), secrets };
}

const VARIABLE = /\$(?:(\$)|\{(\w+)(?::-([^}]*))?\})/g;

/** Replaces `${NAME}` and `${NAME:-default}` in all texts; `$$` is a dollar. */
function interpolated(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (_all, dollar, name, fallback = '') => dollar ?? (env[name] || fallback));
  }
  if (Array.isArray(value)) return value.map((each) => interpolated(each, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolated(each, env)]));
}
