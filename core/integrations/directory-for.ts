import type { Config } from '../config/config.ts';
import type { Directory } from '../connectors/directory.ts';
import { createGraphDirectory } from '../connectors/m365/graph-directory.ts';
import { fixtureDirectory } from '../connectors/mock/fixture-directory.ts';
import type { GraphAccess } from './graph-access.ts';

/**
 * The directory of the organisation, as the configuration has it now; null where its credentials are missing. It never
 * falls back to the fixture.
 */
export function directoryFor({ config, graph }: { config: Config; graph: GraphAccess }): Directory | null {
  if (config.SVC_CONNECTOR_MODE === 'mock') return fixtureDirectory;
  const client = graph.reads('interactive');
  return client === null ? null : createGraphDirectory(client);
}
