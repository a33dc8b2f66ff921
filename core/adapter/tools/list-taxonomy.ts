import { z } from 'zod';
import {
  DomainSchema,
  InformationTypeSchema,
  type ListedDomain,
  ListedDomainSchema,
} from '../../governance/taxonomy-schema.ts';
import { listOf } from '../../kernel/list.ts';
import { PageArguments, pageOf } from '../page.ts';
import { tool } from '../tool.ts';

const MAX_TYPES = 50;

const ShownDomainSchema = DomainSchema.pick({
  id: true,
  name: true,
  description: true,
  inclusion: true,
  exclusion: true,
  status: true,
}).extend({
  informationTypes: listOf(
    InformationTypeSchema.pick({ id: true, name: true, definition: true, sensitivity: true, status: true }),
  ),
});

const LabelSchema = z.object({ guid: z.string(), name: z.string(), rank: z.int() });

const bounded = ({ informationTypes, ...domain }: ListedDomain) => ({
  ...domain,
  informationTypes: {
    items: informationTypes.slice(0, MAX_TYPES),
    truncated: informationTypes.length > MAX_TYPES,
  },
});

export const listTaxonomy = tool({
  name: 'list_taxonomy',
  title: 'List the taxonomy',
  description:
    'Lists business domains with their information types, or the sensitivity labels that an asset can have (`part`: ' +
    '`labels`, the weakest first). A draft is not in force until a person approves it.',
  effect: 'read',
  input: z.strictObject({ part: z.enum(['domains', 'labels']).default('domains'), ...PageArguments }),
  data: z.object({ domains: z.array(ShownDomainSchema).optional(), labels: z.array(LabelSchema).optional() }),
  listed: ({ domains, labels }) => domains ?? labels ?? [],
  answer: async (ask, { part, ...page }) => {
    if (part === 'labels') {
      const list = await ask(listOf(LabelSchema), { method: 'GET', path: '/api/governance/labels' });
      const { items, counts } = pageOf(list, page);
      return { ...counts, data: { labels: items } };
    }
    const list = await ask(listOf(ListedDomainSchema), { method: 'GET', path: '/api/governance/taxonomy' });
    const { items, counts } = pageOf(list, page);
    const domains = items.map(bounded);
    const truncated = counts.truncated || domains.some((domain) => domain.informationTypes.truncated);
    return { ...counts, truncated, data: { domains } };
  },
});
