import { FindingFilterSchema, listFindings } from '../../../core/findings/finding-list.sql.ts';
import { ShownListedFindingSchema, shownFindings } from '../../../core/findings/shown-findings.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listVisibleFindings = endpoint({
  name: 'findings-list',
  method: 'GET',
  path: '/api/findings',
  summary: 'Findings that the caller may see, the most severe first',
  description:
    'Findings on assets that the caller may see. Without a status: those that are not resolved. `all` ' +
    'includes resolved ones. Each says what to do, since when and until when. `proposedAction` is the body of a request ' +
    'to draft it.',
  access: can('finding.read'),
  transaction: 'read',
  query: FindingFilterSchema,
  response: listOf(ShownListedFindingSchema),
  handle: async ({ tx, principal, visibility, query }) => {
    const list = bounded(await listFindings(tx, visibility, query.status, LIMIT + 1), LIMIT);
    return { ...list, items: await shownFindings(tx, { principal, visibility }, list.items) };
  },
});
