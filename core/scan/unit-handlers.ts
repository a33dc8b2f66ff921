import type { UnitHandler } from '../work/unit.ts';
import { compareSharing } from './compare-sharing.ts';
import { processAsset } from './process-asset.ts';
import { readInherited } from './read-inherited.ts';
import { forRefusableScope } from './refused-scope.ts';
import { rescoreAssets } from './rescore-assets.ts';
import type { ScanParts } from './scan-parts.ts';
import { createTaxonomyCache } from './taxonomy-cache.ts';
import { deltaRun, inventoryPage } from './walk.ts';

/** The handler of each kind of unit. */
export function unitHandlers(parts: ScanParts) {
  const taxonomyInUse = createTaxonomyCache(parts);
  return {
    inventory_page: forRefusableScope(
      parts,
      pagesOf({
        listing: inventoryPage(parts),
        sharing: compareSharing(parts),
        inherited: readInherited(parts),
      }),
    ),
    delta_run: forRefusableScope(parts, deltaRun(parts)),
    process_asset: forRefusableScope(parts, processAsset(parts, taxonomyInUse)),
    rescore_asset: rescoreAssets(parts, taxonomyInUse),
  };
}

/** Pages of a listing, and of what a delta reads because the feed does not report it. */
const pagesOf =
  (handlers: Readonly<Record<'listing' | 'sharing' | 'inherited', UnitHandler>>): UnitHandler =>
  (unit, signal) => {
    const { of = 'listing' } = unit.payload as { of?: keyof typeof handlers };
    return handlers[of](unit, signal);
  };
