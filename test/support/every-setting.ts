import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { loadConfig, SettingsSchema } from '../../core/config/config.ts';

const root = path.resolve(import.meta.dirname, '../..');
const shape: Readonly<Record<string, { safeParse(value: unknown): { data?: unknown } }>> =
  SettingsSchema.shape;
const names = Object.keys(shape).filter((name) => !name.endsWith('_FILE'));
const isSecret = (name: string) => name === 'AzureWebJobsStorage' || `${name}_FILE` in shape;

const exampleSecret = (name: string) =>
  name.includes('DATABASE_URL')
    ? `postgres://${name.includes('MIGRATION') ? 'owner' : 'login'}:word@db.example/governance`
    : `value of ${name}, long enough to be one`;

/** Secrets are variables of these names: settings that are secrets, and what each setting `…_REF` names. */
function secretsFor(settings: Readonly<Record<string, string>>): Record<string, string> {
  const referred = Object.entries(settings).flatMap(([name, value]) =>
    name.endsWith('_REF') && value !== '' ? [value] : [],
  );
  return Object.fromEntries(
    [...names.filter(isSecret), ...referred].map((name) => [name, exampleSecret(name)]),
  );
}

/** What a setting may take, beside a text of its own. */
const CANDIDATES = [
  ...['true', '7', '70', '300', '5000', '200000', 'https://example.com', 'example.com', '0 0 3 * * *'],
  ...['dev', 'debug', 'all', 'graph', 'usgov', 'Example=auditor', '0123456789abcdef'],
  ...[
    '/subscriptions/3fa85f64-5717-4562-b3fc-2c963f66afa6/resourceGroups/r/providers/Microsoft.Storage/storageAccounts/a',
    '123456789012',
  ],
];
const candidatesOf = (name: string) =>
  name.endsWith('_REF')
    ? [`OF_${name.slice(0, -'_REF'.length)}`]
    : [`example-of-${name.toLowerCase()}`, ...CANDIDATES];

/**
 * Every setting, with another value than its default. It is empty, which is the same as unset, where it excludes another
 * one or where none of the candidates fits.
 */
function everySetting(): Record<string, string> {
  const settings: Record<string, string> = { SVC_ENV: 'development' };
  for (const name of names) {
    if (isSecret(name) || name in settings) continue;
    const unset = String(shape[name]?.safeParse(undefined).data);
    const fits = candidatesOf(name).find(
      (value) => value !== unset && isRead({ ...settings, [name]: value }),
    );
    settings[name] = fits ?? '';
  }
  return settings;
}

function isRead(settings: Readonly<Record<string, string>>): boolean {
  try {
    loadConfig({ ...secretsFor(settings), ...settings });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

export const SETTINGS: Readonly<Record<string, string>> = everySetting();
export const SECRETS: Readonly<Record<string, string>> = secretsFor(SETTINGS);

/** A name for a secret as vaults, clusters and files have it. */
export const keyOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** The settings and secrets that a process reads which the entry point of an image starts with this environment. */
export async function readByProcess(env: Readonly<Record<string, string>>): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    path.join(root, 'infra/container/entrypoint.sh'),
    [process.execPath, path.join(root, 'test/support/print-settings.ts')],
    { env: { PATH: process.env.PATH, ...env } },
  );
  return JSON.parse(stdout);
}

/**
 * The same, where secrets are files.
 * @param mount the folder of the files in the container
 * @param files their contents by name
 */
export async function readWithFiles(
  env: Readonly<Record<string, string>>,
  mount: string,
  files: Readonly<Record<string, string>>,
): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'secrets-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);
    const here = Object.entries(env).map(([name, value]) => [
      name,
      name.endsWith('_FILE') ? value.replace(mount, folder) : value,
    ]);
    return await readByProcess(Object.fromEntries(here));
  } finally {
    await rm(folder, { recursive: true });
  }
}
