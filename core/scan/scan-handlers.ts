import type { Handlers } from '../work/run-unit.ts';
import type { GroupHandler, UnitHandler } from '../work/unit.ts';
import type { ScanParts } from './scan-parts.ts';
import type { unitHandlers } from './unit-handlers.ts';

type Loaded = ReturnType<typeof unitHandlers>;

/**
 * The handler of each kind of unit. All are imported with the first unit: they bring every extractor along, and a
 * process that has just started answers requests first.
 */
export function scanHandlers(parts: ScanParts): Handlers {
  let loaded: Promise<Loaded> | undefined;
  const load = () => {
    loaded ??= import('./unit-handlers.ts').then(({ unitHandlers }) => unitHandlers(parts));
    return loaded;
  };
  const handler =
    (kind: Exclude<keyof Loaded, 'rescore_asset'>): UnitHandler =>
    async (unit, signal) =>
      (await load())[kind](unit, signal);
  const rescore: GroupHandler = {
    runGroup: async (units, signal) => (await load()).rescore_asset.runGroup(units, signal),
  };
  return {
    inventory_page: handler('inventory_page'),
    delta_run: handler('delta_run'),
    process_asset: handler('process_asset'),
    rescore_asset: rescore,
  };
}
