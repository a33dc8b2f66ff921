import type { Config } from '../config.ts';
import type { Directory } from '../connectors/directory.ts';
import { fixtureDirectory } from '../connectors/mock/fixture-directory.ts';

/** The directory of the organisation, as the configuration has it now. It never falls back to the fixture. */
export const directoryFor = ({ SVC_CONNECTOR_MODE: mode }: Config): Directory | null =>
  mode === 'mock' ? fixtureDirectory : null;
