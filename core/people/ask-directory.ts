import { ConnectorError } from '../connectors/connector.ts';
import type { Directory } from '../connectors/directory.ts';
import { createGraphDirectory } from '../connectors/m365/graph-directory.ts';
import type { SourceParts } from '../integrations/connector-for.ts';
import { missingFor } from '../integrations/integrations.ts';
import { ServiceError } from '../kernel/errors.ts';

type DirectorySource = Pick<SourceParts, 'config' | 'graph' | 'fixture'>;

/** `stopping` aborts when the process is asked to end. */
export type DirectoryParts = DirectorySource & { stopping: AbortSignal };

/**
 * Asks the directory, for `withinMs` at most; never inside a transaction. Throws `blocked_capability` where there is none,
 * or where it does not answer.
 */
export async function askDirectory<T>(
  { stopping, ...source }: DirectoryParts,
  withinMs: number,
  ask: (directory: Directory, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const directory = directoryFor(source);
  if (directory === null)
    throw new ServiceError(
      'blocked_capability',
      `No directory of people is connected: set ${missingFor(source.config, 'connector').join(', ')}.`,
    );
  try {
    return await ask(directory, AbortSignal.any([stopping, AbortSignal.timeout(withinMs)]));
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    const { retryClass, safeDiagnostic } = error;
    throw new ServiceError(
      'blocked_capability',
      retryClass === 'auth'
        ? `The directory of people refused to answer (${safeDiagnostic}). The connector needs its permission.`
        : `The directory of people gave no answer (${safeDiagnostic}). Try again.`,
    );
  }
}

/**
 * The directory of the organisation, as the configuration has it now; null where its credentials are missing. It never
 * falls back to the fixture.
 */
export function directoryFor({ config, graph, fixture }: DirectorySource): Directory | null {
  if (config.SVC_CONNECTOR_MODE === 'mock') return fixture?.directory ?? null;
  const client = graph.reads('interactive');
  return client === null ? null : createGraphDirectory(client);
}
