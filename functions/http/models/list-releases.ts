import { z } from 'zod';
import { ListedDetectorSchema, listDetectors } from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { listEnsembles } from '../../../core/models/ensembles.sql.ts';
import { EnsembleReleaseSchema } from '../../../core/models/release-schema.ts';

const LIMIT = 100;

export const listReleases = endpoint({
  name: 'models-list-releases',
  method: 'GET',
  path: '/api/models/releases',
  summary: 'Versions of the thresholds and of the detectors',
  description:
    'The newest 100 versions of the thresholds, with what caused each, and the version of each detector that scans use.',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: z.object({
    ensembles: listOf(EnsembleReleaseSchema),
    detectors: listOf(ListedDetectorSchema.omit({ custom: true })),
  }),
  handle: async ({ tx, principal }) => ({
    ensembles: bounded(await listEnsembles(tx, LIMIT + 1), LIMIT),
    detectors: { items: await listDetectors(tx, principal), truncated: false },
  }),
});
