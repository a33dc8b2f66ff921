import { createGraphConnector } from './m365/graph-connector.ts';
import { createMockConnector } from './mock/mock-connector.ts';
import { createSmbConnector } from './smb/smb-connector.ts';

/** Every built-in connector: its factory, by family and mode. */
export const connectorFactories = {
  m365: { mock: createMockConnector, live: createGraphConnector },
  smb: { live: createSmbConnector },
} as const;
