import { GRAPH_CLOUDS } from '../../../core/connectors/m365/graph-cloud.ts';
import type { GraphAccess } from '../../../core/integrations/graph-access.ts';

/** For tests in which Microsoft 365 is not configured. */
export const noGraph: GraphAccess = {
  cloud: GRAPH_CLOUDS.global,
  reads: () => null,
  roles: async () => null,
  probes: () => null,
  writesLabels: () => null,
};
