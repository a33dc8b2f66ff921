import { z } from 'zod';
import { listOf } from '../../kernel/list.ts';
import { ScopeSchema } from '../../sources/scope-schema.ts';
import { PageArguments, pageOf } from '../page.ts';
import { tool } from '../tool.ts';

const ShownScopeSchema = ScopeSchema.omit({ externalId: true });

export const listCoverage = tool({
  name: 'list_coverage',
  title: 'List scopes and their coverage',
  description:
    'Lists the scopes (sites, drives, shares, databases) that the person may see, with how far each is scanned: never ' +
    '(null), `baseline`, `delta`, or `stale`. `inaccessible` says why and since when the source refuses a scope. ' +
    '`byState` counts all scopes that were listed.',
  effect: 'read',
  input: z.strictObject(PageArguments),
  data: z.object({ byState: z.record(z.string(), z.int()), scopes: z.array(ShownScopeSchema) }),
  listed: ({ scopes }) => scopes,
  answer: async (ask, page) => {
    const list = await ask(listOf(ScopeSchema), { method: 'GET', path: '/api/sources' });
    const { items, counts } = pageOf(list, page);
    const states = Map.groupBy(list.items, ({ coverageState }) => coverageState ?? 'never');
    const byState = Object.fromEntries([...states].map(([state, scopes]) => [state, scopes.length]));
    return { ...counts, data: { byState, scopes: items } };
  },
});
