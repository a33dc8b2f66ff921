import { z } from 'zod';
import { SCAN_LEFT_OUT, SOURCE_FAMILIES } from '../kernel/vocabulary.ts';
import { MAX_PATTERN, parsePattern } from './path-pattern.ts';

const MAX_LISTED = 100;
export const MAX_RULES = 200;

const Folder = z
  .string()
  .min(1)
  .max(1_024)
  .regex(/[^/]/, 'Must name a folder.')
  .describe('Path of a folder below the top of the scope, with `/`');
const Format = z
  .string()
  .max(20)
  .regex(/^[\p{L}\p{N}]+(\.[\p{L}\p{N}]+)*$/u, 'Must be an extension without the dot, such as pdf.')
  .describe('Extension of a file without the dot');
const Size = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Moment = z.iso.datetime();

/** What a scan is narrowed to. All that is given must hold of an item. */
export const OnlySchema = z
  .strictObject({
    folders: z.array(Folder).min(1).max(MAX_LISTED).optional().describe('Items in one of these folders'),
    formats: z.array(Format).min(1).max(MAX_LISTED).optional().describe('Items of one of these formats'),
    minSizeBytes: Size.optional().describe('The least size'),
    maxSizeBytes: Size.optional().describe('The largest size'),
    modifiedAfter: Moment.optional().describe('Items that were changed after it'),
    modifiedBefore: Moment.optional().describe('Items that were changed before it'),
  })
  .refine(
    (only) => Object.values(only).some((value) => value !== undefined),
    'Must narrow the scan to something.',
  )
  .refine(({ minSizeBytes = 0, maxSizeBytes = Number.POSITIVE_INFINITY }) => minSizeBytes <= maxSizeBytes, {
    path: ['maxSizeBytes'],
    message: 'Must be at least minSizeBytes.',
  })
  .refine(
    ({ modifiedAfter, modifiedBefore }) =>
      modifiedAfter === undefined ||
      modifiedBefore === undefined ||
      Date.parse(modifiedAfter) < Date.parse(modifiedBefore),
    { path: ['modifiedBefore'], message: 'Must be after modifiedAfter.' },
  );
export type Only = z.infer<typeof OnlySchema>;

/** Items that a scan has left out for one reason. */
export const LeftOutCountSchema = z.object({
  reason: z.enum(SCAN_LEFT_OUT).describe('Why they are left out'),
  ruleId: z.string().nullable().describe('Of the reason `rule`'),
  pattern: z.string().nullable().describe('Pattern of the rule; null for other reasons'),
  items: z.int().describe('How many items'),
});

const Pattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN)
  .superRefine((text, context) => {
    const parsed = parsePattern(text);
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem });
  });

/** A rule as it is set: for one scope, for a family, or for all. */
const SetRuleSchema = z
  .strictObject({
    pattern: Pattern.describe('What is left out'),
    family: z.enum(SOURCE_FAMILIES).optional().describe('Only in scopes of this family'),
    scopeId: z.string().min(1).max(64).optional().describe('Only in this scope'),
  })
  .refine(({ family, scopeId }) => family === undefined || scopeId === undefined, {
    path: ['family'],
    message: 'A rule is for a scope or for a family.',
  });
export type SetRule = z.infer<typeof SetRuleSchema>;

export const SetRulesSchema = z.strictObject({
  rules: z.array(SetRuleSchema).max(MAX_RULES).describe('All rules, in the order in which they are tried'),
});

export const ScanRuleSchema = z.object({
  ruleId: z.string().describe('Id of the rule'),
  pattern: z.string().describe('What is left out'),
  family: z.enum(SOURCE_FAMILIES).nullable().describe('Only in scopes of this family'),
  scopeId: z.string().nullable().describe('Only in this scope'),
  createdAt: z.iso.datetime(),
});
