import { processAsset } from './process-asset.ts';
import { rescoreAssets } from './rescore-assets.ts';
import type { ScanParts } from './scan-parts.ts';
import { createTaxonomyCache } from './taxonomy-cache.ts';
import { deltaRun, inventoryPage } from './walk.ts';

/** The handler of each kind of unit. */
export function unitHandlers(parts: ScanParts) {
  const taxonomyInUse = createTaxonomyCache(parts);
  return {
    inventory_page: inventoryPage(parts),
    delta_run: deltaRun(parts),
    process_asset: processAsset(parts, taxonomyInUse),
    rescore_asset: rescoreAssets(parts, taxonomyInUse),
  };
}
