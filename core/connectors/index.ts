import { createGraphConnector } from './m365/graph-connector.ts';
import { createSmbConnector } from './smb/smb-connector.ts';

/** Every built-in connector: its factory, by family and mode. */
export const connectorFactories = {
  m365: { live: createGraphConnector },
  smb: { live: createSmbConnector },
} as const;
