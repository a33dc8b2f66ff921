import type { Connector } from '../connectors/connector.ts';
import type { UnitUse } from '../work/unit.ts';

/** The same connector. Its calls and the bytes of content that it answers are added to what a unit has used. */
export function countedConnector(connector: Connector, use: UnitUse): Connector {
  const call = <T>(ask: () => Promise<T>): Promise<T> => {
    use.calls++;
    return ask();
  };
  const counted = {
    listLabels: (...args) => call(() => connector.listLabels(...args)),
    listItems: (...args) => call(() => connector.listItems(...args)),
    getItem: (...args) => call(() => connector.getItem(...args)),
    getPermissions: (...args) => call(() => connector.getPermissions(...args)),
    getLabel: (...args) => call(() => connector.getLabel(...args)),
    readContent: async (...args) => {
      const content = await call(() => connector.readContent(...args));
      if (content.state === 'available') use.bytesRead += content.bytes.length;
      return content;
    },
  } satisfies Partial<Connector>;
  if (connector.delta === 'comparison') return { ...connector, ...counted };
  return { ...connector, ...counted, listDelta: (...args) => call(() => connector.listDelta(...args)) };
}
