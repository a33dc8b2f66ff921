import './refuse-old-node.ts';
import { parseArgs } from 'node:util';
import { type Examined, examineTrail, type Resumed, resumeTrail } from '../audit/resume-trail.ts';
import { actAs } from '../audit/set-aside.sql.ts';
import { signingWith } from '../audit/signing-key.ts';
import { ConfigError, loadConfig } from '../config/config.ts';
import { ownerUrl } from '../db/migrate-configured.ts';
import { createPool } from '../db/pool.ts';
import { withProvisioningTx } from '../db/tx.ts';
import { systemClock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { errorFields } from '../observability/error-fields.ts';

const USAGE = `npm run audit:resume -- TENANT [--apply]

Tells how far the audit trail of a tenant holds. With --apply, a trail that does not hold continues from there: what
follows is moved to the table audit_set_aside, an event says so, and a checkpoint signs it. Back up the database first.

It is configured by the environment: SVC_MIGRATION_DATABASE_URL is the login that owns the schema (default:
SVC_DATABASE_URL). SVC_AUDIT_SIGNING_KEY_REF leads to the signing key, and SVC_AUDIT_TRUSTED_KEY_IDS names former keys.

Ends with 0 where the trail holds or was resumed, 1 where it does not hold or could not be examined, 2 where the command
was called wrongly.`;

/** What the person at the terminal can mend. */
class CannotDo extends Error {}
class UsageError extends Error {}

async function main(): Promise<number> {
  const { tenantId, apply } = readOptions();
  if (tenantId === null) {
    console.log(USAGE);
    return 0;
  }
  const config = loadConfig();
  const { signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
  if (signer === null) throw new CannotDo('Set SVC_AUDIT_SIGNING_KEY_REF: a resumed trail must be signed.');
  const trustedKeys = new Set([signer.keyId, ...config.SVC_AUDIT_TRUSTED_KEY_IDS]);
  const db = createPool(ownerUrl(config), { max: 1, applicationName: 'audit-resume' });
  try {
    if (apply) {
      const resumed = await withProvisioningTx(db, tenantId, (tx) =>
        resumeTrail(tx, { signer, trustedKeys, clock: systemClock }),
      );
      console.log(resumed === null ? 'The trail holds. Nothing was changed.' : resumedText(resumed));
      return 0;
    }
    const examined = await withProvisioningTx(db, tenantId, async (tx) => {
      await actAs(tx, 'svc_app');
      return examineTrail(tx, trustedKeys);
    });
    console.log(
      examined.reason === null
        ? `The trail holds up to event ${examined.head.seq}.`
        : `${brokenText(examined)}
What follows would be set aside. Back up the database, and repeat the command with --apply.`,
    );
    return examined.reason === null ? 0 : 1;
  } finally {
    await db.close();
  }
}

function readOptions(): { tenantId: TenantId | null; apply: boolean } {
  const { positionals, values } = parsed();
  if (values.help) return { tenantId: null, apply: false };
  const [tenantId = '', ...more] = positionals;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tenantId) || more.length > 0) throw new UsageError('Name one tenant.');
  return { tenantId: tenantId as TenantId, apply: values.apply };
}

function parsed() {
  try {
    return parseArgs({
      options: { apply: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : '');
  }
}

const brokenText = ({ reason, head, checkpoint, events, checkpoints }: Examined) =>
  `The trail does not hold: ${reason}.
Held: events to ${head.seq} of ${events}, checkpoints to ${checkpoint?.number ?? 0} of ${checkpoints}.`;

const resumedText = ({ setAside, ...examined }: Resumed) =>
  `${brokenText(examined)}
Set aside: ${setAside.events} events, ${setAside.checkpoints} checkpoints. SHA-256: ${setAside.digest ?? '-'}.
The event audit_trail_resumed says so, and a checkpoint signs it.`;

function wordsFor(error: unknown): unknown {
  if (error instanceof CannotDo || error instanceof ConfigError) return error.message;
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  const { errorCode } = errorFields(error);
  // Anything else is a fault of the program and shows its stack.
  if (errorCode === undefined) return error;
  return `The database refused (${errorCode}): see SVC_MIGRATION_DATABASE_URL, and run npm run migrate first.`;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(wordsFor(error));
  return error instanceof UsageError ? 2 : 1;
});
