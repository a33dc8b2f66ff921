import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Check } from '../../../core/commands/doctor/check.ts';
import { pass, warn } from '../../../core/commands/doctor/check.ts';
import { CHECKS } from '../../../core/commands/doctor/checks.ts';
import { judgeClock } from '../../../core/commands/doctor/clock-checks.ts';
import { judgeProbe } from '../../../core/commands/doctor/judge-probe.ts';
import { judgeMemory } from '../../../core/commands/doctor/process-checks.ts';
import { resultText, summaryText } from '../../../core/commands/doctor/report.ts';
import { type Result, runChecks, selected } from '../../../core/commands/doctor/run-checks.ts';
import { judgeWritable } from '../../../core/commands/doctor/source-checks.ts';
import { openSubject } from '../../../core/commands/doctor/subject.ts';
import { loadConfig } from '../../../core/config/config.ts';
import {
  blocked,
  everywhere,
  notConfigured,
  OK,
  PROBE_REASONS,
  type Probed,
  type SourceProbe,
} from '../../../core/connectors/probe.ts';
import { newAuditKey } from '../../support/audit-trail.ts';
import { examine, outcomeOf } from '../../support/examine.ts';
import { runCommand, runHere } from '../../support/run-command.ts';
import { type S3Fake, startS3Fake } from '../../support/s3/s3-fake.ts';

const COMMAND = path.resolve(import.meta.dirname, '../../../core/commands/doctor.ts');
const DEVELOPMENT = { SVC_ENV: 'development', SVC_DATABASE_URL: 'postgres://a@127.0.0.1:1/none' };
const PRODUCTION = {
  SVC_DATABASE_URL: DEVELOPMENT.SVC_DATABASE_URL,
  SVC_SESSION_SECRET: 'a secret of these tests alone, long enough',
  SVC_CONNECTOR_MODE: 'graph',
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'doctored-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the checks', () => {
  test('have ids of their own, and come after those that they need', () => {
    const before = new Set<string>();
    for (const { id, needs } of CHECKS) {
      expect(before.has(id), id).toBe(false);
      expect(
        needs.filter((need) => !before.has(need)),
        id,
      ).toEqual([]);
      before.add(id);
    }
  });

  test('are chosen by group and by id, with what they need', () => {
    const ids = (...only: string[]) => selected(CHECKS, new Set(only)).map(({ id }) => id);
    expect(ids('clock.storage')).toEqual([
      'configuration.settings',
      'storage.settings',
      'storage.queue',
      'clock.storage',
    ]);
    expect(ids('webhook', 'processes.node')).toEqual([
      'configuration.settings',
      'processes.node',
      'webhook.handshake',
    ]);
    expect(selected(CHECKS, null)).toEqual(CHECKS);
  });
});

describe('a run', () => {
  const subject = openSubject(DEVELOPMENT);
  const checkOf = (id: Check['id'], run: Check['run'], more: Partial<Check> = {}): Check => ({
    id,
    proves: 'Something.',
    needs: [],
    run,
    ...more,
  });
  const results = async (...checks: Check[]) => {
    const found: Result[] = [];
    for await (const result of runChecks(checks, subject)) found.push(result);
    return found;
  };

  test('skips what needs a check that failed, and not what needs one that warned', async () => {
    const found = await results(
      checkOf('a.warns', () => warn('It is odd.', 'Look at it.')),
      checkOf('a.throws', () => Promise.reject(new RangeError('canary'))),
      checkOf('b.goes-on', () => pass('Fine.'), { needs: ['a.warns'] }),
      checkOf('b.cannot', () => pass('Fine.'), { needs: ['a.throws'] }),
      checkOf('c.cannot-either', () => pass('Fine.'), { needs: ['b.cannot'] }),
    );
    expect(found.map(({ outcome }) => outcome.status)).toEqual([
      'warn',
      'fail',
      'pass',
      'skipped',
      'skipped',
    ]);
    expect(found[4]?.outcome.finding).toBe('It needs b.cannot.');
    expect(JSON.stringify(found)).toContain('RangeError');
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  test('ends a check that does not answer in time, whether it heeds the signal or not', async () => {
    const found = await results(
      checkOf('a.deaf', () => new Promise(() => undefined), { withinMs: 20 }),
      checkOf(
        'a.heeds',
        (_, signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        { withinMs: 20 },
      ),
    );
    for (const { outcome } of found)
      expect(outcome).toMatchObject({ status: 'fail', finding: 'There was no answer within 0.02 s.' });
  });

  test('is told in a line for each check, with what to do below it, and counted', async () => {
    const found = await results(
      checkOf('a.b', () => pass('Fine.')),
      checkOf('a.odd', () => warn('It is odd.', 'Look at it.', 'Then mend it.')),
    );
    expect(found.map((result) => resultText(result, 6))).toEqual([
      '✓ a.b     Fine.',
      '! a.odd   It is odd.\n    Look at it.\n    Then mend it.',
    ]);
    expect(summaryText(found)).toBe('1 passed, 1 to look at, 0 failed, 0 skipped.');
  });
});

describe('configuration', () => {
  const check = (name: string, env: Record<string, string>) => outcomeOf(`configuration.${name}`, env);

  test('tells everything that keeps the service from starting at once', async () => {
    const outcome = await check('settings', {
      SVC_AUTH_MODE: 'dev',
      SVC_DATABASE_POOL_SIZE: 'many',
      SVC_DATABASE_URL_FILE: path.join(folder, 'none'),
      SVC_AI_KEY_REF: 'AI_KEY',
      AI_KEY_FILE: path.join(folder, 'none'),
    });
    expect(outcome).toMatchObject({ status: 'fail', finding: expect.stringContaining('5 settings') });
    expect('nextSteps' in outcome ? outcome.nextSteps.map((step) => step.split(':')[0]) : []).toEqual([
      'SVC_DATABASE_POOL_SIZE',
      'SVC_AUTH_MODE',
      'SVC_SESSION_SECRET',
      'SVC_DATABASE_URL_FILE',
      'SVC_AI_KEY_REF',
    ]);
    expect((await check('settings', DEVELOPMENT)).status).toBe('pass');
  });

  test('tells names that nothing reads, with the setting that is meant', async () => {
    const slips = {
      SVC_DATABSE_URL: 'canary',
      svc_smb_root: 'canary',
      SVC_SOMETHING_ENTIRELY_ELSE: 'canary',
      // A setting names this one.
      SVC_AI_KEY_REF: 'SVC_MY_KEY',
      SVC_MY_KEY_FILE: '',
    };
    expect(await check('names', { ...DEVELOPMENT, ...slips })).toEqual({
      status: 'warn',
      finding: '3 SVC_ variables that nothing reads.',
      nextSteps: [
        'SVC_DATABSE_URL: did you mean SVC_DATABASE_URL?',
        'SVC_SOMETHING_ENTIRELY_ELSE: remove it.',
        'svc_smb_root: did you mean SVC_SMB_ROOT?',
      ],
    });
    expect((await check('names', DEVELOPMENT)).status).toBe('pass');
  });

  test('tells references that lead nowhere', async () => {
    const env = { ...DEVELOPMENT, SVC_AI_KEY_REF: 'AI_KEY' };
    expect(await check('references', env)).toMatchObject({
      status: 'warn',
      finding: '1 reference to variables that are not set: SVC_AI_KEY_REF.',
    });
    expect((await check('references', { ...env, AI_KEY: 'a' })).status).toBe('pass');
  });

  test('wants a long session secret in production', async () => {
    expect((await check('secrets', PRODUCTION)).status).toBe('pass');
    expect((await check('secrets', { ...PRODUCTION, SVC_SESSION_SECRET: 'twelve chars' })).status).toBe(
      'warn',
    );
    expect((await check('secrets', DEVELOPMENT)).status).toBe('skipped');
  });

  test('warns of what belongs to development in production', async () => {
    expect((await check('production', PRODUCTION)).status).toBe('pass');
    const steps = { ...PRODUCTION, SVC_CONNECTOR_MODE: 'mock', SVC_DEMO_MODE: 'true' };
    expect(await check('production', steps)).toMatchObject({
      status: 'warn',
      nextSteps: [expect.stringContaining('SVC_CONNECTOR_MODE'), expect.stringContaining('SVC_DEMO_MODE')],
    });
    expect((await check('production', DEVELOPMENT)).status).toBe('warn');
  });

  test('warns of what is configured by half', async () => {
    const half = {
      ...DEVELOPMENT,
      SVC_AI_ENDPOINT: 'https://ai.example',
      SVC_CHANGE_NOTIFICATIONS_ENABLED: 'true',
      SVC_LABEL_READ_ENABLED: 'true',
      SVC_LABEL_WRITE_ENABLED: 'true',
    };
    expect(await check('integrations', half)).toMatchObject({
      status: 'warn',
      nextSteps: [
        'AI provider: set SVC_AI_DEPLOYMENT, set SVC_AI_KEY_REF or SVC_AI_AZURE_IDENTITY.',
        expect.stringMatching(/^Reading labels: set SVC_CONNECTOR_MODE to graph, set SVC_GRAPH/),
        expect.stringMatching(/^Writing labels: set /),
        expect.stringContaining('set SVC_WEBHOOK_PUBLIC_URL'),
      ],
    });
    expect((await check('integrations', DEVELOPMENT)).status).toBe('pass');
  });
});

describe('processes', () => {
  test('of this machine pass', async () => {
    const outcomes = await examine(DEVELOPMENT, 'processes');
    expect(outcomes['processes.node']?.status).toBe('pass');
    expect(outcomes['processes.temporary-folder']?.status).toBe('pass');
    expect(outcomes['processes.extraction']).toEqual({
      status: 'pass',
      finding: 'A thread started and read a text.',
    });
    expect(outcomes['processes.headers']?.status).toBe('skipped');
  });

  test('need memory for their threads', () => {
    const config = loadConfig({ ...DEVELOPMENT, SVC_EXTRACT_WORKERS: '4', SVC_EXTRACT_WORKER_MB: '256' });
    const mib = 1024 * 1024;
    expect(judgeMemory(config, 2_432 * mib).status).toBe('pass');
    expect(judgeMemory(config, 2_431 * mib)).toMatchObject({
      status: 'warn',
      finding: 'There are 2431 MiB. One process may take 2432 MiB.',
    });
    expect(judgeMemory({ ...config, SVC_OCR: true }, 2_432 * mib).status).toBe('warn');
  });

  test('need a temporary folder', async () => {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = path.join(folder, 'none');
    try {
      expect(await outcomeOf('processes.temporary-folder', DEVELOPMENT)).toMatchObject({
        status: 'fail',
        finding: 'The temporary folder cannot be written to: ENOENT.',
      });
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });

  test('need the data of the languages that they read', async () => {
    const env = { ...DEVELOPMENT, SVC_OCR: 'true', SVC_OCR_LANGUAGES: 'xyz' };
    expect(await outcomeOf('processes.extraction', env)).toMatchObject({
      status: 'fail',
      nextSteps: [expect.stringContaining('SVC_OCR_LANGUAGES')],
    });
  });

  test.each([
    ['--max-http-header-size=49152', 'pass'],
    ['--enable-source-maps --max-http-header-size=65536', 'pass'],
    ['--max-http-header-size=16384', 'warn'],
    ['', 'warn'],
  ])('of a Functions host with the arguments "%s": %s', async (args, status) => {
    const host = { FUNCTIONS_WORKER_RUNTIME: 'node', languageWorkers__node__arguments: args };
    expect((await outcomeOf('processes.headers', { ...DEVELOPMENT, ...host })).status).toBe(status);
  });
});

test.each([
  [0, 'pass'],
  [-5_000, 'pass'],
  [5_001, 'warn'],
  [-300_000, 'warn'],
  [300_001, 'fail'],
  [-86_400_000, 'fail'],
  [null, 'skipped'],
])('a clock that is %s ms ahead: %s', (aheadMs, status) => {
  expect(judgeClock('the database', aheadMs).status).toBe(status);
});

describe('sources', () => {
  const smb = (shares: string) =>
    outcomeOf('sources.smb', {
      ...DEVELOPMENT,
      SVC_SMB_ENABLED: 'true',
      SVC_SMB_ROOT: folder,
      SVC_SMB_SHARES: shares,
    });

  test('shares that can be listed pass', async () => {
    for (const share of ['a', 'b']) {
      await mkdir(path.join(folder, share));
      await writeFile(path.join(folder, share, 'canary.txt'), 'canary');
    }
    expect(await smb('a,b')).toEqual({ status: 'pass', finding: '2 scopes could be listed.' });
  });

  test.each([
    ['is missing', 'none', 'share_unreachable', 'Mount it'],
    ['is empty', 'empty', 'share_empty', 'lost mount'],
    ['is a file', 'file', 'share_not_a_folder', 'no links'],
    ['leaves the root', '../other', 'share_selection_invalid', 'below SVC_SMB_ROOT'],
    ['lies in another', 'full,full/inner', 'share_selection_overlaps', 'lie in others'],
  ])('a share that %s is a failure', async (_, share, diagnostic, step) => {
    await mkdir(path.join(folder, 'empty'));
    await mkdir(path.join(folder, 'full/inner'), { recursive: true });
    await writeFile(path.join(folder, 'file'), '');
    const outcome = await smb(share);
    expect(outcome).toMatchObject({
      status: 'fail',
      finding: expect.stringContaining(diagnostic),
      nextSteps: [expect.stringContaining(step)],
    });
    expect(JSON.stringify(outcome)).not.toContain(folder);
  });

  test('shares that can be written to are a warning', async () => {
    await mkdir(path.join(folder, 'a'));
    await writeFile(path.join(folder, 'a/file'), '');
    const env = { ...DEVELOPMENT, SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: folder, SVC_SMB_SHARES: 'a' };
    expect(await outcomeOf('sources.smb-read-only', env)).toMatchObject({
      status: 'warn',
      finding: '1 share can be written to. The service only reads.',
    });
    await chmod(path.join(folder, 'a'), 0o555);
    // Root may write all the same, and is told so.
    const { status } = await outcomeOf('sources.smb-read-only', env);
    expect(status).toBe(process.getuid?.() === 0 ? 'warn' : 'pass');
    expect(judgeWritable(0).status).toBe('pass');
  });

  test('a source without its settings names them', async () => {
    const blob = { ...DEVELOPMENT, SVC_BLOB_ENABLED: 'true' };
    expect(await outcomeOf('sources.blob', blob)).toMatchObject({
      status: 'fail',
      nextSteps: ['Set SVC_BLOB_ACCOUNT_URL, SVC_BLOB_CREDENTIAL_REF, SVC_BLOB_CONTAINERS.'],
    });
    const box = {
      ...DEVELOPMENT,
      SVC_FILE_BOX_ENABLED: 'true',
      SVC_FILE_BOX_CLIENT_ID: 'box',
      SVC_FILE_BOX_CLIENT_SECRET_REF: 'BOX',
      BOX: 'a',
      SVC_FILE_BOX_FOLDERS: 'a',
    };
    expect(await outcomeOf('sources.file_box', box)).toMatchObject({
      status: 'fail',
      nextSteps: ['Set SVC_FILE_BOX_ENTERPRISE_ID.'],
    });
  });

  test.each([
    ['a', 'SVC_SQL_CONNECTION_REF'],
    ['postgres://a:b@db.example/c?sslmode=disable', 'sslmode=disable'],
    ['mysql://a:b@127.0.0.1:1/', 'SVC_SQL_SCHEMAS'],
  ])('a database with the connection string %s has a step to take', async (SQL, step) => {
    const env = {
      ...DEVELOPMENT,
      SVC_SQL_ENABLED: 'true',
      SVC_SQL_CONNECTION_REF: 'SQL',
      SQL,
      SVC_SQL_SCHEMAS: '*',
    };
    expect(await outcomeOf('sources.sql', env)).toMatchObject({
      status: 'fail',
      nextSteps: [expect.stringContaining(step)],
    });
  });

  test('a storage account with a credential that is none names the setting', async () => {
    const env = {
      ...DEVELOPMENT,
      SVC_BLOB_ENABLED: 'true',
      SVC_BLOB_ACCOUNT_URL: 'https://account.blob.example',
      SVC_BLOB_CREDENTIAL_REF: 'BLOB',
      BLOB: 'a',
      SVC_BLOB_CONTAINERS: 'reports',
    };
    expect(await outcomeOf('sources.blob', env)).toMatchObject({
      status: 'fail',
      nextSteps: [expect.stringContaining('SVC_BLOB_CREDENTIAL_REF')],
    });
  });

  describe('of several instances', () => {
    let store: S3Fake;
    beforeEach(async () => {
      store = await startS3Fake();
      store.createBucket('minutes');
      store.createBucket('plans');
    });
    afterEach(() => store.stop());
    const outcome = (secrets: Record<string, string>, buckets: string[] = ['plans']) => {
      const at = { endpoint: store.url, region: 'eu-central-1', pathStyle: true };
      return outcomeOf('sources.s3', {
        ...DEVELOPMENT,
        SVC_S3_ENABLED: 'true',
        SVC_S3_INSTANCES: JSON.stringify({
          board: { ...at, credentialRef: 'BOARD', buckets: ['minutes'] },
          shop: { ...at, credentialRef: 'SHOP', buckets },
        }),
        ...secrets,
      });
    };
    const key = () => `${store.keys.id}:${store.keys.secret}`;

    test('each is asked, and passes', async () => {
      expect(await outcome({ BOARD: key(), SHOP: key() })).toMatchObject({ status: 'pass' });
      expect([...new Set(store.requests.map(({ bucket }) => bucket))]).toEqual(['minutes', 'plans']);
    });

    test('a right that is refused beside those to list and read is a warning', async () => {
      for (const setting of ['policyStatus', 'acl']) store.denied.add(setting);
      expect(await outcome({ BOARD: key(), SHOP: key() })).toMatchObject({
        status: 'warn',
        finding: '2 scopes could be listed. Refused: s3:GetBucketPolicyStatus, s3:GetBucketAcl.',
      });
    });

    test('a malformed credential of one is a failure', async () => {
      expect(await outcome({ BOARD: key(), SHOP: 'no key' })).toMatchObject({ status: 'fail' });
    });

    test('a bucket that is not there is a failure, behind one of many scopes too', async () => {
      const many = Array.from({ length: 25 }, (_, at) => `plans-${at}`);
      for (const name of many) store.createBucket(name);
      store.buckets.delete('plans-0');
      expect(await outcome({ BOARD: key(), SHOP: key() }, many)).toMatchObject({
        status: 'fail',
        nextSteps: [expect.stringContaining('SVC_S3_BUCKETS')],
      });
    });

    test('one without its secret is named', async () => {
      expect(await outcome({ BOARD: key() })).toMatchObject({
        status: 'fail',
        nextSteps: ['Set SVC_S3_INSTANCES.shop.credentialRef.'],
      });
    });
  });

  test('an instance that cannot list its scopes is named', async () => {
    const account = { credentialRef: 'HR', containers: ['reports'] };
    const env = {
      ...DEVELOPMENT,
      SVC_BLOB_ENABLED: 'true',
      SVC_BLOB_INSTANCES: JSON.stringify({
        hr: { ...account, accountUrl: 'https://hr.blob.example' },
        legal: { ...account, accountUrl: 'https://legal.blob.example' },
      }),
      HR: 'a',
    };
    const { status, finding } = await outcomeOf('sources.blob', env);
    expect(status).toBe('fail');
    expect(finding).toContain('hr');
  });

  test('the main source is the fixture, off, or configured by half', async () => {
    expect((await outcomeOf('sources.m365', DEVELOPMENT)).status).toBe('pass');
    expect((await outcomeOf('sources.m365', { ...DEVELOPMENT, SVC_CONNECTOR_MODE: 'graph' })).status).toBe(
      'skipped',
    );
    const half = { ...DEVELOPMENT, SVC_CONNECTOR_MODE: 'graph', SVC_GRAPH_TENANT_ID: 'a' };
    expect((await outcomeOf('sources.m365', half)).status).toBe('fail');
    expect((await outcomeOf('sources.mail', DEVELOPMENT)).status).toBe('skipped');
  });
});

describe('a test of Microsoft 365', () => {
  const found = (others: Partial<SourceProbe> = {}): SourceProbe => ({ ...everywhere(OK), ...others });

  test('passes, and tells what is switched off', () => {
    expect(judgeProbe(found())).toEqual(pass('Every capability answered.'));
    const off = found({ labels: notConfigured('switched_off', 'SVC_LABEL_READ_ENABLED') });
    expect(judgeProbe(off)).toMatchObject({
      status: 'pass',
      finding: expect.stringContaining('off: labels'),
    });
  });

  test('warns of a permission that a scan can do without, by its name', () => {
    const directory = blocked('missing_permission', 'User.Read.All', 'GroupMember.Read.All');
    expect(judgeProbe(found({ directory }))).toEqual(
      warn(
        'Microsoft 365 can be scanned, without all of: directory (missing_permission).',
        'Grant the application permission User.Read.All, GroupMember.Read.All, with admin consent (docs/permissions.md).',
      ),
    );
  });

  test('fails where nothing can be scanned, and tells each step once', () => {
    const sites = { ...blocked('site_not_found'), position: 3 } as Probed;
    const outcome = judgeProbe(found({ sites, drive: blocked('no_library') }));
    expect(outcome).toMatchObject({
      status: 'fail',
      finding: 'Microsoft 365 cannot be scanned: sites (site_not_found), drive (no_library).',
      nextSteps: [expect.stringContaining('entry 3 of SVC_GRAPH_SITES'), expect.any(String)],
    });
    const token = judgeProbe(everywhere(blocked('credentials_refused')));
    expect('nextSteps' in token && token.nextSteps).toHaveLength(1);
    const unset = judgeProbe(found({ sites: notConfigured('setting_missing', 'SVC_GRAPH_SITES') }));
    expect(unset).toMatchObject({ status: 'fail', nextSteps: ['Set SVC_GRAPH_SITES.'] });
  });

  test('has a step for each reason', () => {
    const chosen = ['optional_permission', 'switched_off', 'not_part_of_source', 'not_part_of_release'];
    for (const reason of PROBE_REASONS.filter((each) => !chosen.includes(each))) {
      const outcome = judgeProbe(found({ sites: blocked(reason, 'A.B') }));
      expect('nextSteps' in outcome && outcome.nextSteps.join(''), reason).toMatch(/\.$/);
    }
  });
});

describe('npm run doctor', () => {
  test('tells its usage when asked, and does nothing', async () => {
    const { code, out, err } = await runCommand(COMMAND, ['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n')[0]).toBe('npm run doctor [-- --json] [--only NAME,NAME]');
    for (const { id } of CHECKS) expect(out).toContain(id.split('.')[0]);
  });

  test.each([
    [['--dry-run']],
    [['now']],
    [['--only', 'nothing']],
    [['--only', '']],
    [['--only', 'clock,canary']],
  ])('refuses %s with its usage and 2', async (args) => {
    const { code, out, err } = await runHere(COMMAND, args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('\nnpm run doctor [-- --json]');
    expect(err, 'a stack').not.toMatch(/\n\s+at /);
  });

  test('ends with 1 where a check fails, with 0 where one only warns', async () => {
    const settings = await runHere(COMMAND, ['--only', 'configuration'], {
      env: { SVC_ENV: 'development' },
    });
    expect(settings.code).toBe(1);
    expect(settings.out).toContain('    SVC_DATABASE_URL: Required.\n');
    const names = await runHere(COMMAND, ['--only=configuration.names'], {
      env: { ...DEVELOPMENT, SVC_X: '1' },
    });
    expect([names.code, names.err]).toEqual([0, '']);
    expect(names.out.split('\n')).toEqual([
      '! configuration.names  1 SVC_ variable that nothing reads.',
      '    SVC_X: remove it.',
      '',
      '0 passed, 1 to look at, 0 failed, 0 skipped.',
      '',
    ]);
  });

  test('shows what was needed and failed beside what was asked for', async () => {
    const { code, out } = await runHere(COMMAND, ['--only', 'clock.database', '--json'], {
      env: DEVELOPMENT,
    });
    const report = JSON.parse(out);
    expect(code).toBe(1);
    expect(report).toMatchObject({ ok: false, counts: { pass: 0, warn: 0, fail: 1, skipped: 1 } });
    expect(report.checks).toEqual([
      {
        id: 'database.reachable',
        proves: expect.any(String),
        status: 'fail',
        finding: 'The database cannot be reached: ECONNREFUSED.',
        nextSteps: [expect.stringContaining('SVC_DATABASE_URL')],
        milliseconds: expect.any(Number),
      },
      expect.objectContaining({ id: 'clock.database', status: 'skipped' }),
    ]);
  });

  test('shows no value of any setting, whatever fails', async () => {
    const key = Buffer.from('canary of the account, which is its key').toString('base64');
    const env: Record<string, string> = {
      SVC_ENV: 'production',
      SVC_SESSION_SECRET: 'canary-secret',
      SVC_DATABASE_URL: 'postgres://canary-login:canary-password@127.0.0.1:1/canary-database',
      SVC_MIGRATION_DATABASE_URL: 'postgres://canary-owner:canary-password@127.0.0.1:1/canary-database',
      AzureWebJobsStorage: `AccountName=canaryaccount;AccountKey=${key};QueueEndpoint=http://127.0.0.1:1/canary;TableEndpoint=http://127.0.0.1:1/canary`,
      SVC_IDP_ISSUER: 'https://canary-issuer.invalid/canary',
      SVC_IDP_CLIENT_ID: 'canary-client',
      SVC_IDP_CLIENT_SECRET_REF: 'IDP_SECRET',
      IDP_SECRET: 'canary-client-secret',
      SVC_IDP_REDIRECT_URI: 'https://canary-service.invalid/canary/api/auth/idp/callback',
      SVC_WEBHOOK_PUBLIC_URL: 'https://canary-hooks.invalid/canary',
      SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY',
      AUDIT_KEY: 'canary-audit-key',
      SVC_AI_KEY_REF: 'canary_name_of_a_variable',
      SVC_SMB_ENABLED: 'true',
      SVC_SMB_ROOT: '/canary-root',
      SVC_SMB_SHARES: 'canary-share',
      SVC_UNKNOWN: 'canary-of-an-unknown-name',
    };
    for (const args of [[], ['--json']]) {
      const { code, out, err } = await runHere(COMMAND, args, { env });
      expect([code, err]).toEqual([1, '']);
      expect(out).toContain('share_unreachable');
      expect(`${out}${err}`).not.toMatch(new RegExp(`canary|${key}|\\.invalid`, 'i'));
    }
    const refused = { ...env, SVC_ENV: 'canary', SVC_IDP_ISSUER: 'canary', SVC_SMB_ENABLED: 'canary' };
    const { code, out, err } = await runHere(COMMAND, [], { env: refused });
    expect([code, err]).toEqual([1, '']);
    expect(out).toContain('    SVC_IDP_ISSUER: ');
    expect(out).not.toMatch(/canary/i);
  });

  test('signs with the key of the audit trail and shows nothing of it', async () => {
    const { privateKey } = newAuditKey();
    const env = { ...DEVELOPMENT, SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_KEY', AUDIT_KEY: privateKey };
    const { out } = await runHere(COMMAND, ['--only', 'audit.signing-key'], { env });
    expect(out).toContain('✓ audit.signing-key');
    const [, secret = ''] = privateKey.split('\n');
    expect(out).not.toContain(secret);
  });
});
