import { z } from 'zod';
import { ComparedSchema } from './comparison.sql.ts';
import { CoverageSchema } from './coverage.sql.ts';
import { PlanSchema } from './plan.ts';
import { EvidenceRowSchema } from './rows.sql.ts';

export const PLANNERS = ['deterministic', 'ai'] as const;
export type Planner = (typeof PLANNERS)[number];

/** `whole`: the plan is what was asked, and it was run. `partly`, `none`: it was not run. */
export const UNDERSTANDING_STATES = ['whole', 'partly', 'none'] as const;

export const QuestionSchema = z.strictObject({
  question: z.string().trim().min(3).max(2_000),
  planner: z.enum(PLANNERS).default('deterministic'),
});

const GroupSchema = z.object({
  /** One for each dimension, by name. Null: none. */
  keys: z.array(z.string().nullable()),
  count: z.int(),
  sizeBytes: z.number(),
  partCount: z.int().nullable().describe('Of the count, how many meet `share` too'),
});

export const ResultSchema = z.object({
  /**
   * Rows that meet the conditions, of those that were looked at (`coverage.isWhole`). Null if it is not known: the
   * question is about labels, and the label of no asset in reach is known.
   */
  count: z.int().nullable(),
  /** The sum of their sizes, if the plan asks for it. */
  sizeBytes: z.number().nullable(),
  partCount: z
    .int()
    .nullable()
    .describe(
      'Of the count, how many meet the conditions of `share` too. Null if the plan has none, or it is not known',
    ),
  groups: z
    .object({ dimensions: z.array(z.string()), items: z.array(GroupSchema), truncated: z.boolean() })
    .nullable(),
  compared: ComparedSchema.nullable().describe(
    'The counts on two days, if the plan asks for them. `count` is that of the later day, or null for several domains: an asset may be in more than one',
  ),
  rows: z.array(EvidenceRowSchema),
  /** More rows meet the conditions than are shown. */
  truncated: z.boolean(),
});
export type Result = z.infer<typeof ResultSchema>;

export const UnderstandingSchema = z.object({
  state: z.enum(UNDERSTANDING_STATES),
  understood: z.array(z.string()),
  used: z
    .array(z.string())
    .describe(
      'The parts of the question without any of which it has another plan or none, as they are written. Other words say what holds anyway',
    ),
  ignored: z.array(z.string()),
  kept: PlanSchema.nullable().describe(
    'The plan of what was understood, if the question was not run. `POST /api/analyst/plan` runs it',
  ),
  corrections: z.array(z.object({ from: z.string(), to: z.string() })),
  /** What can be asked instead. */
  suggestions: z.array(z.string()),
});

export const AnswerSchema = z.object({
  planner: z.enum(PLANNERS),
  interpretation: z.object({
    text: z.string(),
    isAiOutput: z.boolean().describe('Whether an AI provider made the plan'),
  }),
  understanding: UnderstandingSchema,
  /** The plan that was run, or null. */
  plan: PlanSchema.nullable(),
  scopeNote: z.string(),
  result: ResultSchema.nullable(),
  coverage: CoverageSchema,
  notes: z.array(z.string()),
});
export type Answer = z.infer<typeof AnswerSchema>;
