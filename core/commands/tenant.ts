import './refuse-old-node.ts';
import { parseArgs } from 'node:util';
import { appendAudit } from '../audit/append.sql.ts';
import { type AuditEntry, auditText } from '../audit/event.ts';
import { issuerOf } from '../auth/identity-provider.ts';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { violatedConstraint } from '../db/errors.ts';
import { ownerUrl } from '../db/migrate-configured.ts';
import { createPool } from '../db/pool.ts';
import { type Db, type Tx, withProvisioningTx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { ROLES, type Role } from '../kernel/vocabulary.ts';
import { errorFields } from '../observability/error-fields.ts';
import { createTenant, listTenants, setIssuer } from '../people/create-tenant.sql.ts';
import { listPrincipals, lockPrincipal } from '../people/principals.sql.ts';
import { type Actor, makeSetupCode, setRoles } from '../people/principals.ts';

const USAGE = `npm run tenant -- init TENANT --name NAME [--issuer URL]
npm run tenant -- list [TENANT]
npm run tenant -- grant TENANT PRINCIPAL ROLE
npm run tenant -- revoke TENANT PRINCIPAL ROLE
npm run tenant -- setup-code TENANT
npm run tenant -- issuer TENANT URL

  init        creates a tenant for the people of an identity provider, and prints a setup code
  list        lists the tenants, or the people of one with their roles
  grant       gives a principal a role
  revoke      takes a granted role from a principal
  setup-code  prints a new setup code
  issuer      binds a tenant and its people to another address of their identity provider

Whoever signs in first with a setup code becomes platform administrator. It holds for one hour.
Roles: ${ROLES.join(', ')}.

It is configured by the environment: SVC_MIGRATION_DATABASE_URL is the login that owns the schema (default:
SVC_DATABASE_URL). The issuer follows from SVC_IDP_ISSUER or SVC_IDP_TENANT_ID unless it is named.`;

const MAX_PRINCIPALS = 10_000;
const MAX_NAME = 200;

/** What the person at the terminal can mend. */
class CannotDo extends Error {}

/** A way to call the command that there is none of. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { positionals, values } = readOptions();
  const [act = '', ...args] = positionals;
  if (values.help) return console.log(USAGE);
  // Own ones only: every object inherits a `constructor`.
  const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  if (run === undefined) throw new UsageError('Name what to do.');
  const config = loadConfig();
  const db = createPool(ownerUrl(config), {
    max: 1,
    applicationName: 'tenant-command',
  });
  try {
    await run({ db, config, args, ...values });
  } finally {
    await db.close();
  }
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        name: { type: 'string' },
        issuer: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : '');
  }
}

type Call = {
  db: Db;
  config: Config;
  args: readonly string[];
  name?: string | undefined;
  issuer?: string | undefined;
};

const ACTS: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  init: async (call) => {
    const [tenant] = named(call.args, 1);
    const name = call.name?.trim() ?? '';
    if (name === '' || name.length > MAX_NAME) throw new UsageError('--name must name the tenant.');
    const issuer = call.issuer ?? issuerOf(call.config);
    if (issuer === null || !URL.canParse(issuer))
      throw new UsageError('Name the issuer with --issuer, or set SVC_IDP_ISSUER or SVC_IDP_TENANT_ID.');
    const code = await changing(call.db, tenant, async (tx, actor) => {
      if (!(await createTenant(tx, { name, issuer }, actor.now)))
        throw new CannotDo(`The tenant ${tenant} already exists.`);
      actor.audit({ category: 'config', type: 'tenant_created', target: { kind: 'tenant', id: tenant } });
      return makeSetupCode(tx, actor);
    });
    console.log(`Created ${tenant} for the people of ${issuer}`);
    printCode(call.config, code);
  },
  list: async ({ db, args }) => {
    if (args.length === 0) {
      const tenants = await withProvisioningTx(db, 'any' as TenantId, listTenants);
      for (const { tenantId, name, issuer } of tenants)
        console.log([tenantId, name, issuer ?? '-'].join('\t'));
      return;
    }
    const [tenant] = named(args, 1);
    const people = await withProvisioningTx(db, tenant, async (tx) => {
      await refuseUnknown(tx);
      return listPrincipals(tx, {}, MAX_PRINCIPALS, Date.now());
    });
    for (const { principalId, displayName, status, roles } of people) {
      const held = roles.map(({ role, source }) => `${role} (${source})`).join(', ');
      console.log([principalId, displayName, status, held || '-'].join('\t'));
    }
  },
  grant: (call) => changeRole(call, (granted, role) => [...granted, role]),
  revoke: (call) => changeRole(call, (granted, role) => granted.filter((each) => each !== role)),
  issuer: async ({ db, args }) => {
    const [tenant, issuer = ''] = named(args, 2);
    if (!URL.canParse(issuer)) throw new UsageError('The issuer is a URL.');
    await changing(db, tenant, async (tx, actor) => {
      await refuseUnknown(tx);
      await setIssuer(tx, issuer);
      actor.audit({
        category: 'config',
        type: 'tenant_issuer_changed',
        target: { kind: 'tenant', id: tenant },
      });
    });
    console.log(`Bound ${tenant} and its people to ${issuer}`);
  },
  'setup-code': async (call) => {
    const [tenant] = named(call.args, 1);
    const code = await changing(call.db, tenant, async (tx, actor) => {
      await refuseUnknown(tx);
      return makeSetupCode(tx, actor);
    });
    printCode(call.config, code);
  },
};

async function changeRole(
  { db, args }: Call,
  change: (granted: readonly Role[], role: Role) => Role[],
): Promise<void> {
  const [tenant, principalId = '', name = ''] = named(args, 3);
  const role = ROLES.find((each) => each === name);
  if (role === undefined) throw new UsageError(`Roles are ${ROLES.join(', ')}.`);
  await changing(db, tenant, async (tx, actor) => {
    const principal = await lockPrincipal(tx, principalId);
    if (principal === null)
      throw new CannotDo('Nobody in this tenant has this id. See npm run tenant -- list TENANT.');
    const roles = [...new Set(change(principal.granted, role))];
    if (roles.length === principal.granted.length) throw new CannotDo('Nothing would change.');
    await setRoles(tx, actor, principalId, roles);
  });
  console.log('Done. It counts from the next request.');
}

function named(args: readonly string[], count: number): [TenantId, ...string[]] {
  const [tenant, ...rest] = args;
  if (tenant === undefined || args.length !== count)
    throw new UsageError('An argument is missing, or there is one too many.');
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tenant))
    throw new UsageError('The id of a tenant has letters, digits, underscores and hyphens, at most 64.');
  return [tenant as TenantId, ...rest];
}

/** A change from this terminal, with its events in the audit trail. */
const changing = <T>(db: Db, tenantId: TenantId, change: (tx: Tx, actor: Actor) => Promise<T>): Promise<T> =>
  withProvisioningTx(db, tenantId, async (tx) => {
    const now = Date.now();
    const events: AuditEntry[] = [];
    const result = await change(tx, { principalId: null, now, audit: (entry) => events.push(entry) });
    const source = { tenantId, principalId: null, correlationId: newId('cor', now), now };
    await appendAudit(
      tx,
      events.map((entry) => auditText(source, entry)),
    );
    return result;
  });

async function refuseUnknown(tx: Tx): Promise<void> {
  const tenants = await listTenants(tx);
  if (!tenants.some(({ tenantId }) => tenantId === tx.tenantId))
    throw new CannotDo('There is no such tenant.');
}

function printCode({ SVC_IDP_REDIRECT_URI: redirectUri }: Config, code: string): void {
  console.log(`Setup code (one hour, used once): ${code}`);
  if (redirectUri !== undefined)
    console.log(`Open ${new URL(`/api/auth/idp/login?code=${code}`, redirectUri).href} and sign in.`);
}

function wordsFor(error: unknown): unknown {
  if (error instanceof CannotDo || error instanceof ConfigError || error instanceof ServiceError)
    return error.message;
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (violatedConstraint(error) === 'tenants_idp_issuer') return 'Another tenant already has this issuer.';
  const { errorCode } = errorFields(error);
  // Anything else is a fault of the program and shows its stack.
  if (errorCode === undefined) return error;
  return `The database cannot be changed (${errorCode}): see SVC_MIGRATION_DATABASE_URL, and run npm run migrate first.`;
}

await main().catch((error: unknown) => {
  console.error(wordsFor(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
