import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../core/kernel/clock.ts';
import { type ActivationService, startActivationService } from '../../infra/vendor/activation-service.ts';
import { type Codes, openCodes } from '../../infra/vendor/codes.ts';
import type { Offer } from '../../infra/vendor/offer.ts';
import { SIGNER } from './entitlements.ts';
import { DEV } from './seed.ts';

/** What the vendor of tests sells. */
export const OFFER: Offer = {
  ...{ tenantId: DEV, edition: 'standard', days: 40, graceDays: 14, features: ['scanning'] },
  ...{ maxBillableUsers: null, maxAssets: null, maxScopes: null, telemetry: false },
};

/** The activation service of the vendor on loopback, with codes in a folder that is deleted at the end. */
export async function startVendor(clock: Clock): Promise<ActivationService & { codes: Codes }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'codes-'));
  const codes = await openCodes(folder);
  const service = await startActivationService({ signer: SIGNER, codes, clock });
  return {
    url: service.url,
    codes,
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}
