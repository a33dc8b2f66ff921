import { untilAborted } from '../abort.ts';
import { ConnectorError } from '../connector.ts';
import type { LabelWriter } from '../label-writer.ts';
import { applyFixtureAction } from './fixture-action.ts';
import type { FixtureStore } from './fixture-store.ts';
import { itemOf } from './mock-connector.ts';

/** The name under which the fixture records changes by the writer. */
export const REMEDIATION_IDENTITY = 'remediation@nordwind.example';

/** Writes labels into the fixture tenant. `clock` returns milliseconds. */
export function createMockLabelWriter({
  store,
  clock,
}: {
  store: FixtureStore;
  clock: () => number;
}): LabelWriter {
  return {
    mode: 'mock',
    preventionOf: async () => null,
    // No write of the fixture goes on after its answer.
    outcomeOf: async () => ({ state: 'untold' }),
    writeLabel: ({ scopeExternalId, externalId, ifSourceVersion }, { labelGuid }, signal) =>
      untilAborted(signal, async () => {
        let state: 'written' | 'changed' | 'gone' = 'written';
        const changed = await store.update(scopeExternalId, externalId, (scope, item) => {
          if (item === null || item.deleted) state = 'gone';
          else if (itemOf(item).sourceVersion !== ifSourceVersion) state = 'changed';
          else {
            const request =
              labelGuid === null
                ? ({ action: 'clear_label' } as const)
                : ({ action: 'set_label', labelGuid } as const);
            const facts = { at: new Date(clock()).toISOString(), newExternalId: externalId };
            const { scope: next, item: written } = applyFixtureAction(scope, item, request, facts);
            return { scope: next, item: written && { ...written, modifiedBy: REMEDIATION_IDENTITY } };
          }
          return { scope, item };
        });
        if (changed === null) throw new ConnectorError('permanent', 'scope_unknown');
        return { state };
      }),
  };
}
