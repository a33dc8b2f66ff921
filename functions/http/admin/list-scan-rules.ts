import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';
import { ScanRuleSchema } from '../../../core/narrowing/narrowing-schema.ts';
import { listRules } from '../../../core/narrowing/scan-rules.sql.ts';

export const listScanRules = endpoint({
  name: 'admin-list-scan-rules',
  method: 'GET',
  path: '/api/admin/scan-rules',
  summary: 'Rules of what scans leave out',
  description: 'In the order in which they are tried: an item counts for the first rule that matches it.',
  access: can('connector.configure'),
  transaction: 'read',
  response: listOf(ScanRuleSchema),
  handle: async ({ tx }) => ({ items: await listRules(tx), truncated: false }),
});
