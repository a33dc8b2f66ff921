import { app } from '@azure/functions';
import { signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { signingWith } from '../../core/audit/signing-key.ts';
import { scheduleOf } from '../../core/config.ts';
import { runtime } from '../../core/runtime.ts';

const EVERY_15_MINUTES = '0 */15 * * * *';

/**
 * Signs the head of every audit chain that has moved. Does nothing without a signing key. The audit endpoints report
 * that.
 */
app.timer('checkpoint-audit', {
  schedule: scheduleOf('SVC_AUDIT_CHECKPOINT_SCHEDULE') ?? EVERY_15_MINUTES,
  handler: async () => {
    const { config, db, clock, log, stopping } = await runtime();
    const { state, signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
    if (state === 'key_unusable') log.error('audit_signing_key_unusable');
    if (signer === null) return;
    const { notAsSigned } = await signCheckpoints(db, { signer, clock, signal: stopping });
    for (const tenantId of notAsSigned) log.error('audit_chain_not_as_signed', { tenantId });
  },
});
