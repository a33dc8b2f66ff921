import type { Directory } from '../connectors/directory.ts';
import { createGraphDirectory } from '../connectors/m365/graph-directory.ts';
import type { SourceParts } from './connector-for.ts';

export type DirectorySource = Pick<SourceParts, 'config' | 'graph' | 'fixture'>;

/**
 * The directory of the organisation, as the configuration has it now; null where its credentials are missing. It never
 * falls back to the fixture.
 */
export function directoryFor({ config, graph, fixture }: DirectorySource): Directory | null {
  if (config.SVC_CONNECTOR_MODE === 'mock') return fixture?.directory ?? null;
  const client = graph.reads('interactive');
  return client === null ? null : createGraphDirectory(client);
}
