import type { Connector } from '../connectors/connector.ts';
import type { UnitUse } from '../work/unit.ts';

/**
 * The same connector. Each call is counted, after it has answered or failed.
 * @param count with the id of the scope at its source, null for the catalog of labels, and the bytes of content
 */
export function countedConnector(
  connector: Connector,
  count: (externalId: string | null, bytes: number) => void,
): Connector {
  const counted = async <T>(
    externalId: string | null,
    call: () => Promise<T>,
    bytesOf: (answer: T) => number = () => 0,
  ) => {
    let bytes = 0;
    try {
      const answer = await call();
      bytes = bytesOf(answer);
      return answer;
    } finally {
      count(externalId, bytes);
    }
  };
  const reads = {
    listLabels: (signal) => counted(null, () => connector.listLabels(signal)),
    listItems: (scope, ...rest) => counted(scope, () => connector.listItems(scope, ...rest)),
    getItem: (scope, ...rest) => counted(scope, () => connector.getItem(scope, ...rest)),
    getPermissions: (scope, ...rest) => counted(scope, () => connector.getPermissions(scope, ...rest)),
    getLabel: (scope, ...rest) => counted(scope, () => connector.getLabel(scope, ...rest)),
    readContent: (scope, ...rest) =>
      counted(
        scope,
        () => connector.readContent(scope, ...rest),
        (answer) => (answer.state === 'available' ? answer.bytes.length : 0),
      ),
  } satisfies Partial<Connector>;
  if (connector.delta === 'comparison') return { ...connector, ...reads };
  return {
    ...connector,
    ...reads,
    listDelta: (scope, ...rest) => counted(scope, () => connector.listDelta(scope, ...rest)),
  };
}

/** The same connector. Its calls and the bytes of content that it answers are added to what a unit has used. */
export const countedFor = (connector: Connector, use: UnitUse): Connector =>
  countedConnector(connector, (_, bytes) => {
    use.calls += 1;
    use.bytesRead += bytes;
  });
