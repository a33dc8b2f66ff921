import { sqlState } from '../../db/errors.ts';
import { createPool } from '../../db/pool.ts';
import { schemaVersion } from '../../db/schema-version.ts';
import { type Check, counted, fail, type Outcome, pass, skipped, warn } from './check.ts';
import {
  countProcesses,
  type OwnerFacts,
  type RoleFacts,
  readNameFacts,
  readOwnerFacts,
  readRoleFacts,
  readTableFacts,
  type ServerFacts,
} from './database-facts.sql.ts';
import { isLoopback, serverOf } from './database-server.ts';
import { reasonOf } from './reason.ts';
import { APPLICATION_NAME } from './subject.ts';

const NEEDED_VERSION = 160_000;
const REACHABLE = 'database.reachable';
const VERSION = 'database.version';
const SCHEMA = 'database.schema';
/** Beside its pool, a process has one connection for readiness. */
const CONNECTIONS_BESIDE_POOL = 1;
const MAX_NAMED = 5;
const MIGRATE = 'Run npm run migrate.';

export const DATABASE_CHECKS: readonly Check[] = [
  {
    id: REACHABLE,
    proves: 'The runtime login can connect to the database.',
    needs: ['configuration.settings'],
    run: async (subject) => {
      const since = performance.now();
      try {
        await subject.server();
      } catch (error) {
        return unreachable('SVC_DATABASE_URL', error);
      }
      return pass(`The database answered in ${Math.round(performance.now() - since)} ms.`);
    },
  },
  {
    id: 'database.encryption',
    proves: 'The connection to the database uses TLS, unless the database is on this machine.',
    needs: [REACHABLE],
    run: async (subject) => {
      if ((await subject.server()).encrypted) return pass('The connection uses TLS.');
      const server = serverOf(subject.config.SVC_DATABASE_URL);
      if (server === null || isLoopback(server.host))
        return pass('The connection does not leave this machine.');
      return warn(
        'The connection does not use TLS.',
        'Add sslmode=verify-full to SVC_DATABASE_URL. Turn on ssl on the server.',
      );
    },
  },
  {
    id: VERSION,
    proves: 'The server is Postgres 16 or later.',
    needs: [REACHABLE],
    run: async (subject) => {
      const { version } = await subject.server();
      const said = `The server is Postgres ${Math.floor(version / 10_000)}.${version % 10_000}.`;
      return version >= NEEDED_VERSION
        ? pass(said)
        : fail(said, 'Upgrade the server to Postgres 16 or later.');
    },
  },
  {
    id: SCHEMA,
    proves: 'The database has exactly the migrations of this release.',
    needs: [VERSION],
    run: async ({ db }) => {
      const { missing, unknown } = await schemaVersion(db);
      if (missing > 0)
        return fail(`The database lacks ${counted(missing, 'migration')} of this release.`, MIGRATE);
      if (unknown > 0)
        return warn(
          `The database has ${counted(unknown, 'migration')} of another release, a later one as a rule.`,
          'Start the later release on all processes. One release before it works on this schema too.',
        );
      return pass('The database has every migration of this release and no other.');
    },
  },
  {
    id: 'database.login',
    proves:
      'The runtime login owns nothing, has no special rights, and may act as svc_app, svc_engine and svc_signer alone.',
    needs: [VERSION],
    run: async (subject) => judgeLogin(await subject.server(), await readRoleFacts(subject.db)),
  },
  {
    id: 'database.tenant-isolation',
    proves: 'Row-level security is forced on every table with tenants.',
    needs: [SCHEMA],
    run: async ({ db }) => {
      const { tables, unprotected } = await readTableFacts(db);
      if (unprotected.length === 0) return pass(`Row-level security is forced on all ${tables} tables.`);
      return fail(
        `${counted(unprotected.length, 'table')} of tenants without forced row-level security: ${namesOf(unprotected)}.`,
        'For each: alter table NAME enable row level security; alter table NAME force row level security.',
        'Find out who changed it: tenants may have seen rows of each other.',
      );
    },
  },
  {
    id: 'database.names',
    proves: 'The runtime login can create neither temporary objects nor objects in the schema.',
    needs: [SCHEMA],
    run: async ({ db }) => {
      const { temporary, lasting } = await readNameFacts(db);
      if (lasting)
        return fail(
          'The runtime login may create objects in the schema of the service.',
          'Run as the owner of the schema: revoke create on schema public from public.',
        );
      if (temporary)
        return warn(
          'The runtime login may create temporary objects, which stand before other names.',
          'Run as the owner of the database: revoke temporary on database NAME from public. npm run migrate does if its login owns it.',
        );
      return pass('The runtime login can create no objects.');
    },
  },
  {
    id: 'database.connections',
    proves: 'The server has enough connections for the pools of the processes that run.',
    needs: [SCHEMA],
    run: async (subject) => {
      const { connections } = await subject.server();
      const processes = Math.max(1, await countProcesses(subject.db));
      const needed = processes * (subject.config.SVC_DATABASE_POOL_SIZE + CONNECTIONS_BESIDE_POOL);
      const said = `${counted(processes, 'process', 'processes')} may use ${needed} of ${connections} connections.`;
      if (needed <= connections) return pass(said);
      return warn(said, 'Lower SVC_DATABASE_POOL_SIZE, or raise max_connections of the server.');
    },
  },
  {
    id: 'database.migration-login',
    proves: 'The login for migrations reaches the same database, owns the schema and may create roles.',
    needs: [REACHABLE],
    run: async (subject) => {
      const { SVC_MIGRATION_DATABASE_URL: url, SVC_ENV } = subject.config;
      if (url === undefined) return skipped('SVC_MIGRATION_DATABASE_URL is not set here.');
      const db = createPool(url, { max: 1, applicationName: APPLICATION_NAME });
      try {
        const owner = await readOwnerFacts(db);
        const { database } = await readOwnerFacts(subject.db);
        return judgeOwner(owner, {
          isSame: owner.database === database,
          isProduction: SVC_ENV === 'production',
        });
      } catch (error) {
        return unreachable('SVC_MIGRATION_DATABASE_URL', error);
      } finally {
        await db.close();
      }
    },
  },
  {
    id: 'database.statistics',
    proves: 'Autovacuum is on, and every large table has statistics.',
    needs: [SCHEMA],
    run: async (subject) => {
      if (!(await subject.server()).autovacuum)
        return warn('Autovacuum is off.', 'Turn on autovacuum and track_counts on the server.');
      const { unanalysed } = await readTableFacts(subject.db);
      if (unanalysed.length === 0) return pass('Autovacuum is on, and every large table has statistics.');
      return warn(
        `${counted(unanalysed.length, 'large table')} without statistics: ${namesOf(unanalysed)}.`,
        'Run analyze as the login that owns the schema. Check that autovacuum keeps up.',
      );
    },
  },
];

/** The tables of the service, and of others with a plain name. */
function namesOf(tables: readonly string[]): string {
  const plain = tables.filter((name) => /^[a-z_]{1,63}$/.test(name)).slice(0, MAX_NAMED);
  const others = tables.length - plain.length;
  return [...plain, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

/** What to do about a refused connection, by SQLSTATE or by the code of the system. */
const STEPS: Readonly<Record<string, (setting: string) => string>> = {
  '28P01': (setting) => `Set the password of the login in ${setting}.`,
  '28000': () => 'Let this login connect from here: pg_hba.conf of the server, or its firewall.',
  '3D000': (setting) => `Create the database that ${setting} names: infra/container/create-logins.sh does.`,
  '42501': () => 'Grant the login the right to connect to the database.',
  '53300': () => 'Raise max_connections of the server, or lower SVC_DATABASE_POOL_SIZE of the processes.',
  '57P03': () => 'The server is starting: try again in a minute.',
  ENOTFOUND: (setting) => `Check the host in ${setting}: no address is known for it.`,
  ECONNREFUSED: (setting) => `Check host and port in ${setting}, and that the server runs.`,
};

function unreachable(setting: string, error: unknown): Outcome {
  const reason = reasonOf(error);
  const step = STEPS[sqlState(error) ?? reason];
  return fail(
    `The database cannot be reached: ${reason}.`,
    step?.(setting) ?? `Check ${setting}, the network, and the certificate of the server.`,
  );
}

function judgeLogin(server: ServerFacts, roles: RoleFacts): Outcome {
  const { isSuperuser, bypassesRowSecurity, owned } = server;
  const tooMuch = [
    ...(isSuperuser ? ['is a superuser'] : []),
    ...(bypassesRowSecurity ? ['has BYPASSRLS'] : []),
    ...(owned > 0 ? [`owns ${counted(owned, 'object')}`] : []),
    ...(roles.others > 0 ? [`is a member of ${counted(roles.others, 'role')} beside its own three`] : []),
  ];
  if (tooMuch.length > 0)
    return fail(
      `The runtime login ${tooMuch.join(', ')}: row-level security does not hold for it.`,
      'Set a login in SVC_DATABASE_URL that owns nothing and has no attributes, such as svc_runtime.',
    );
  if (!roles.actsAsApp || !roles.actsAsEngine || !roles.actsAsSigner)
    return fail('The runtime login may not act as svc_app, svc_engine and svc_signer.', MIGRATE);
  if (server.createsRoles || roles.inherits)
    return warn(
      `The runtime login has more rights than it needs: ${server.createsRoles ? 'CREATEROLE' : 'it inherits those of its roles'}.`,
      server.createsRoles
        ? 'Run: alter role LOGIN nocreaterole.'
        : 'Run: grant svc_app, svc_engine, svc_signer to LOGIN with inherit false, set true.',
    );
  return pass('The runtime login owns nothing and may act as its three roles alone.');
}

function judgeOwner(
  { isSuperuser, createsRoles, owns, mayCreate }: OwnerFacts,
  { isSame, isProduction }: { isSame: boolean; isProduction: boolean },
): Outcome {
  if (!isSame)
    return fail(
      'The two logins are in different databases.',
      'Name the same server and database in SVC_DATABASE_URL and SVC_MIGRATION_DATABASE_URL.',
    );
  if (owns === false)
    return fail(
      'The login for migrations does not own the schema.',
      'Set the login in SVC_MIGRATION_DATABASE_URL that ran the first migration.',
    );
  if (owns === null && !mayCreate)
    return fail('The login for migrations may not create the schema.', 'Make it the owner of the database.');
  if (!createsRoles && !isSuperuser)
    return fail('The login for migrations may not create roles.', 'Run: alter role LOGIN createrole.');
  if (isSuperuser && isProduction)
    return warn(
      'The login for migrations is a superuser.',
      'Use a login with createrole that is none: infra/container/create-logins.sh makes it.',
    );
  return pass('The login for migrations has the rights that it needs.');
}
