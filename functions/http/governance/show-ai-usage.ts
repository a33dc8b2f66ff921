import { z } from 'zod';
import { UsageReportSchema, usageReport } from '../../../core/ai-usage/usage-report.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const showAiUsage = endpoint({
  name: 'governance-show-ai-usage',
  method: 'GET',
  path: '/api/governance/ai-usage',
  summary: 'Tokens and costs of the AI provider in one month',
  description:
    'Calls, tokens and estimated costs by task, model and day, and the spending cap. `month` is a month in UTC, ' +
    'by default the present one. Calls whose model has no price are in `callsWithoutCost` and not in ' +
    '`estimatedCost`.',
  access: can('ai.usage.read'),
  transaction: 'read',
  query: z.strictObject({
    month: z
      .string()
      .regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, 'must be a month such as 2026-03')
      .optional(),
  }),
  response: UsageReportSchema,
  handle: ({ tx, runtime: { ai, config }, query: { month }, now }) =>
    usageReport(tx, { mode: ai.mode, cap: config.SVC_AI_MONTHLY_CAP }, month, now),
});
