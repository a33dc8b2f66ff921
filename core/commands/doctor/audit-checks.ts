import { checkpointRecord, signedStatement } from '../../audit/checkpoint.ts';
import { CHECKPOINT_SCHEDULE } from '../../audit/sign-checkpoints.ts';
import { type AuditSigner, signingWith } from '../../audit/signing-key.ts';
import { GENESIS_HASH } from '../../audit/verify.ts';
import { nextTime, parseNcrontab } from '../../kernel/ncrontab.ts';
import { readTrailState, type TrailState, tenantsWithTrail } from './audit-facts.sql.ts';
import { type Check, counted, fail, type Outcome, pass, skipped, warn } from './check.ts';

const KEY = 'audit.signing-key';
const MAX_TENANTS = 200;
/** A run of the timer over many tenants takes a while. */
const GRACE_MS = 5 * 60_000;

export const AUDIT_CHECKS: readonly Check[] = [
  {
    id: KEY,
    proves: 'The signing key of the audit checkpoints signs, and what it signs is verified.',
    needs: ['configuration.settings'],
    run: ({ config }) => {
      const { state, signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
      if (state === 'not_configured')
        return warn(
          'No signing key is configured: a cut end of the audit trail would not be noticed.',
          'Make a key (docs/audit.md, Signing key), and name its variable in SVC_AUDIT_SIGNING_KEY_REF.',
        );
      if (signer === null || !verifiesItself(signer))
        return fail(
          'The signing key cannot be used.',
          'It must be an Ed25519 private key: PKCS #8, as PEM or base64 (docs/audit.md, Signing key).',
        );
      return pass('The key signed a text, and the signature was verified.');
    },
  },
  {
    id: 'audit.checkpoints',
    proves:
      'The chain of each tenant is as its newest checkpoint signed it, and new events are signed on schedule.',
    needs: [KEY, 'database.schema'],
    run: async ({ config, db }, signal) => {
      const isSigning = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF')).signer !== null;
      const schedule = config.SVC_AUDIT_CHECKPOINT_SCHEDULE ?? CHECKPOINT_SCHEDULE;
      const states: TrailState[] = [];
      for (const tenantId of await tenantsWithTrail(db, MAX_TENANTS)) {
        const state = await readTrailState(db, tenantId, signal);
        if (state !== null) states.push(state);
      }
      return judgeTrails(states, { schedule: isSigning ? schedule : null, now: Date.now() });
    },
  },
];

/** Signs a checkpoint that is stored nowhere. */
function verifiesItself({ keyId, publicKey, sign }: AuditSigner): boolean {
  const record = checkpointRecord({
    at: new Date().toISOString(),
    hash: GENESIS_HASH,
    keyId,
    number: 1,
    previous: null,
    seq: 1,
    tenantId: 'doctor',
  });
  return signedStatement({ record, publicKey, signature: sign(record) }) !== null;
}

/** @param schedule null if nothing is signed here */
function judgeTrails(
  states: readonly TrailState[],
  { schedule, now }: { schedule: string | null; now: number },
): Outcome {
  const changed = states.filter((state) => !state.isAsSigned).length;
  if (changed > 0)
    return fail(
      `The audit trail of ${counted(changed, 'tenant')} is not as it was signed.`,
      'Keep the database as it is, and follow docs/audit.md: GET /api/audit/verify tells where the chain breaks.',
    );
  if (schedule === null) return skipped('No signing key is configured here.');
  const cron = parseNcrontab(schedule);
  const late = states.filter(({ unsignedSince }) => {
    const due = unsignedSince === null ? undefined : nextTime(cron, unsignedSince);
    return due !== undefined && now > due + GRACE_MS;
  });
  if (late.length > 0) {
    const since = Math.min(...late.map(({ unsignedSince }) => unsignedSince ?? now));
    return warn(
      `${counted(late.length, 'tenant')} with events that are not signed, for ${Math.round((now - since) / 60_000)} minutes.`,
      'Check that the Functions host runs, and its log for checkpoint-audit.',
    );
  }
  const signed = states.filter(({ hasCheckpoint }) => hasCheckpoint).length;
  return pass(`The newest checkpoints of ${counted(signed, 'tenant')} fit their chains.`);
}
