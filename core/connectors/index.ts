import { createMockConnector } from './mock/mock-connector.ts';
import { createSmbConnector } from './smb/smb-connector.ts';

/** Every connector that is built in: family, then mode, to its factory. */
export const connectorFactories = {
  m365: { mock: createMockConnector },
  smb: { live: createSmbConnector },
} as const;
