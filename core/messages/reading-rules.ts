import type { Tx } from '../db/tx.ts';
import type { CustomDetector } from '../detectors/custom-definition.ts';
import { loadEnabledDetectors } from '../governance/custom-detectors.sql.ts';
import { loadProfile } from '../governance/organization-profile.sql.ts';
import { loadSettings } from '../governance/settings.sql.ts';
import { homeCountries } from '../scan/taxonomy-cache.ts';

/** What a tenant has decided on how texts are read, and what is kept of them. */
export type ReadingRules = {
  detectors: readonly CustomDetector[];
  /** The countries in its profile. */
  homes: readonly string[];
  /** Whether a text may be kept in part, with masked identifiers. */
  keepsPreviews: boolean;
};

export async function loadReadingRules(tx: Tx): Promise<ReadingRules> {
  const [detectors, organization, { dataHandlingProfile }] = await Promise.all([
    loadEnabledDetectors(tx),
    loadProfile(tx),
    loadSettings(tx),
  ]);
  return {
    detectors,
    homes: await homeCountries(organization?.geographies ?? []),
    keepsPreviews: dataHandlingProfile !== 'metadata_only',
  };
}
