import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand, runHere } from '../../support/run-command.ts';

const pathOf = (file: string) => path.resolve(import.meta.dirname, '../../../core/commands', file);
const run = (file: string, args: readonly string[], env?: Record<string, string>) =>
  runHere(pathOf(file), args, { env });

describe.each([
  ['npm run migrate [-- --plan]', 'migrate.ts'],
  ['npm run worker', 'worker.ts'],
])('%s', (name, file) => {
  test('tells its usage when asked, and does nothing', async () => {
    const { code, out, err } = await runCommand(pathOf(file), ['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')[0]).toBe(name);
  });

  test.each(['--dry-run', 'now'])('refuses %s with its usage and 2', async (argument) => {
    const { code, out, err } = await run(file, [argument]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(argument);
    expect(err).toContain(`\n${name}\n`);
  });

  test('says in words what the configuration lacks', async () => {
    const { code, out, err } = await run(file, [], { SVC_ENV: 'development' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('The configuration is not usable:\n  SVC_DATABASE_URL: Required.\n');
  });

  test('says in one line that the database is out of reach', async () => {
    const settings = { SVC_ENV: 'development', SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/none' };
    const { code, err } = await runCommand(pathOf(file), [], { env: settings });
    expect(code).toBe(1);
    expect(err).toMatch(/^The database cannot be \w+ \(ECONNREFUSED\): see SVC_[^\n]+\n$/);
  });
});
