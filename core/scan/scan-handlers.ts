import type { UnitKind } from '../kernel/vocabulary.ts';
import type { UnitHandler } from '../work/unit.ts';
import { processAsset } from './process-asset.ts';
import type { ScanParts } from './scan-parts.ts';
import { deltaRun, inventoryPage } from './walk.ts';

/** Who runs which kind of unit. */
export const scanHandlers = (parts: ScanParts): Partial<Record<UnitKind, UnitHandler>> => ({
  inventory_page: inventoryPage(parts),
  delta_run: deltaRun(parts),
  process_asset: processAsset(parts),
});
