import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { validationFailed } from '../../../core/kernel/errors.ts';
import { listOf } from '../../../core/kernel/list.ts';
import { ScanRuleSchema, SetRulesSchema } from '../../../core/narrowing/narrowing-schema.ts';
import { listRules, replaceRules, unknownScopes } from '../../../core/narrowing/scan-rules.sql.ts';

export const setScanRules = endpoint({
  name: 'admin-set-scan-rules',
  method: 'PUT',
  path: '/api/admin/scan-rules',
  summary: 'Set the rules of what scans leave out',
  description:
    'The list replaces the one before. A pattern is compared with the path of a file below the top of its scope, without ' +
    'case: `*` stands for any characters of a name, `?` for one, `**` for any number of folders. Without `/` it is looked ' +
    'for in every folder. What is in a folder that it matches is left out too, so that `node_modules` and ' +
    '`**/node_modules/**` leave out the same. A scan that starts from now on does not read what is left out, and counts ' +
    'it. Assets that were read before stay as they were last seen, and end when their source no longer lists them. ' +
    'Scopes whose rules change are `stale` until they are scanned again.',
  access: can('connector.configure'),
  transaction: 'write',
  body: SetRulesSchema,
  response: listOf(ScanRuleSchema).extend({
    scopesToScan: z.int().describe('Scanned scopes whose rules have changed: `stale` until their next scan'),
  }),
  handle: async ({ tx, principal, body: { rules }, audit, now }) => {
    const unknown = await unknownScopes(
      tx,
      rules.flatMap(({ scopeId }) => scopeId ?? []),
    );
    const known = new Set<string>();
    const issues = rules.flatMap(({ scopeId, family, pattern }, at) => {
      const key = JSON.stringify([pattern, family, scopeId]);
      const isTwice = known.has(key);
      known.add(key);
      if (isTwice) return [{ path: `rules.${at}`, message: 'Is there twice.' }];
      return scopeId !== undefined && unknown.has(scopeId)
        ? [{ path: `rules.${at}.scopeId`, message: 'Must be a scope.' }]
        : [];
    });
    if (issues.length > 0) throw validationFailed(issues);
    const changed = await replaceRules(tx, rules, { createdBy: principal.principalId, now });
    audit({
      category: 'config',
      type: 'scan_rules_set',
      target: { kind: 'tenant', id: tx.tenantId },
      details: { rules: rules.length, ...changed },
    });
    return { items: await listRules(tx), truncated: false, scopesToScan: changed.scopesToScan };
  },
});
