import { app } from '@azure/functions';
import { CHECKPOINT_SCHEDULE, signCheckpoints } from '../../core/audit/sign-checkpoints.ts';
import { signingWith } from '../../core/audit/signing-key.ts';
import { scheduleOf } from '../../core/config/config.ts';
import { runtime } from '../../core/runtime.ts';

/**
 * Signs the head of every audit chain that has moved. Does nothing without a signing key. The audit endpoints report
 * that.
 */
app.timer('checkpoint-audit', {
  schedule: scheduleOf('SVC_AUDIT_CHECKPOINT_SCHEDULE') ?? CHECKPOINT_SCHEDULE,
  handler: async () => {
    const { config, db, clock, log, metrics, stopping } = await runtime();
    const { state, signer } = signingWith(config.secret('SVC_AUDIT_SIGNING_KEY_REF'));
    if (state === 'key_unusable') {
      metrics.count('audit_checkpoint:key_unusable');
      log.error('audit_signing_key_unusable');
    }
    if (signer === null) return;
    const { signed, notAsSigned } = await signCheckpoints(db, { signer, clock, signal: stopping });
    for (let i = 0; i < signed; i++) metrics.count('audit_checkpoint:signed');
    for (const tenantId of notAsSigned) {
      metrics.count('audit_checkpoint:chain_not_as_signed');
      log.error('audit_chain_not_as_signed', { tenantId });
    }
  },
});
