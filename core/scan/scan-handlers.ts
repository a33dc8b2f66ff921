import type { Handlers } from '../work/run-unit.ts';
import type { UnitHandler } from '../work/unit.ts';
import type { ScanParts } from './scan-parts.ts';
import type { unitHandlers } from './unit-handlers.ts';

type Loaded = ReturnType<typeof unitHandlers>;

/**
 * The handler of each kind of unit. All are imported with the first unit: they bring every extractor along, and a
 * process that has just started answers requests first.
 */
export function scanHandlers(parts: ScanParts): Handlers {
  let loaded: Promise<Loaded> | undefined;
  const handler =
    (kind: keyof Loaded): UnitHandler =>
    async (unit, signal) => {
      loaded ??= import('./unit-handlers.ts').then(({ unitHandlers }) => unitHandlers(parts));
      const handlers = await loaded;
      return handlers[kind](unit, signal);
    };
  return {
    inventory_page: handler('inventory_page'),
    delta_run: handler('delta_run'),
    process_asset: handler('process_asset'),
    rescore_asset: handler('rescore_asset'),
  };
}
