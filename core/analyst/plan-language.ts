import { z } from 'zod';
import { DIMENSIONS, hasOwnField, ORDERS, SimpleConditionSchema, SUBJECTS } from './plan.ts';
import { FIELD_WORDS, NAMED } from './plan-words.ts';
import { NAME_KINDS, namesOf, type Vocabulary } from './vocabulary.ts';

/** Raise it when a plan that ran under the former version is refused or means something else. */
export const PLAN_VERSION = 1;

/** Names of each kind that are listed. */
const MAX_NAMES = 100;
const MAX_NAME = 80;

const FORMS = ['any', 'window', 'range', 'text', 'flag'] as const;

const FieldSchema = z.object({
  field: z.string(),
  means: z.string().describe('What the field is about'),
  form: z.enum(FORMS).describe('The form of its conditions'),
  not: z.literal(true).optional().describe('`not: true` may be added'),
  of: z
    .array(z.enum(SUBJECTS))
    .describe(
      'The subjects that have it. Findings, candidates and actions also have the fields of their asset',
    ),
  values: z.array(z.string()).optional().describe('What `any` may hold'),
  ids: z.enum(NAME_KINDS).optional().describe('`any` holds ids of these: see `names`'),
});

/** A name that conditions use by its id. */
export const PlanNameSchema = z.object({ id: z.string(), name: z.string() });

const NamesSchema = z.object({ items: z.array(PlanNameSchema), truncated: z.boolean() });

/** The plan language as a person or an assistant reads it, and names that the reader may use. */
export const PlanLanguageSchema = z.object({
  version: z.literal(PLAN_VERSION),
  plan: z.record(z.string(), z.string()).describe('The fields of a plan'),
  forms: z.record(z.string(), z.string()).describe('The forms of a condition'),
  fields: z.array(FieldSchema).describe('The fields that conditions may be on'),
  groupBy: z.record(z.string(), z.array(z.string()).readonly()),
  orders: z
    .record(z.string(), z.array(z.string()).readonly())
    .describe('What rows of a subject may be ordered by'),
  example: z.record(z.string(), z.unknown()).describe('A plan that runs'),
  names: z.record(z.enum(NAME_KINDS), NamesSchema).describe('Names that the caller may use, by kind'),
});
export type PlanLanguage = z.infer<typeof PlanLanguageSchema>;

const PLAN = {
  subject: `What rows are: ${SUBJECTS.join(', ')}`,
  where:
    'At most 20 conditions, all of which must hold. Findings, candidates and actions also have the fields of their asset',
  show: '`rows`, `count`, or `size` (bytes of assets)',
  groupBy: 'At most two dimensions; then `show` is `count` or `size`',
  order:
    'Null, or {"by": …, "direction": "ascending" or "descending"}. Groups are ordered by `measure`. `parts`: the number that `has` counts',
  limit: '1 to 200 rows or groups',
  share: 'Optional conditions: `partCount` of the rows meet these too',
  having: 'Optional {"min": …, "max": …} of the count of a group',
  compare: 'Optional {"earlier": day, "later": day}: counts of two days',
};
const FORM_WORDS: Record<(typeof FORMS)[number], string> = {
  any: '{"field": …, "any": [values]}: one of the values is enough. A person may be `me`',
  window:
    '{"field": …, "from": time, "to": time}: ISO 8601 in UTC; `to` is not included; one may be left out',
  range: '{"field": …, "min": number, "max": number}: both are included; one may be left out',
  text: '{"field": …, "text": text}',
  flag: '{"field": …}',
};
const HAS: PlanLanguage['fields'][number] = {
  field: 'has',
  means:
    'How many findings, candidates or actions an asset has: {"field": "has", "of": "findings", "where": [own conditions of findings], "min": 1, "max": 3}',
  form: 'range',
  of: ['assets'],
};

/** The plan language, with the names of a vocabulary. */
export const planLanguage = (vocabulary: Vocabulary): PlanLanguage => ({
  version: PLAN_VERSION,
  plan: PLAN,
  forms: FORM_WORDS,
  fields: [...SimpleConditionSchema.options.map(fieldOf), HAS],
  groupBy: DIMENSIONS,
  orders: ORDERS,
  example: {
    subject: 'assets',
    where: [
      { field: 'labelState', any: ['unlabeled'] },
      { field: 'exposure', any: ['anyone', 'external'] },
    ],
    show: 'count',
    groupBy: ['domain'],
    order: { by: 'measure', direction: 'descending' },
    limit: 10,
  },
  names: Object.fromEntries(
    Object.entries(namesOf(vocabulary)).map(([kind, named]) => [
      kind,
      {
        items: named.slice(0, MAX_NAMES).map(({ id, name }) => ({ id, name: name.slice(0, MAX_NAME) })),
        truncated: named.length > MAX_NAMES,
      },
    ]),
  ) as PlanLanguage['names'],
});

type ConditionSchema = (typeof SimpleConditionSchema.options)[number];

function fieldOf({ shape }: ConditionSchema): PlanLanguage['fields'][number] {
  const field = shape.field.value;
  const values = 'any' in shape ? shape.any.element : null;
  const named = NAMED[field];
  return {
    field,
    means: FIELD_WORDS[field],
    form:
      'any' in shape
        ? 'any'
        : 'from' in shape
          ? 'window'
          : 'min' in shape
            ? 'range'
            : 'text' in shape
              ? 'text'
              : 'flag',
    ...('not' in shape && { not: true as const }),
    of: SUBJECTS.filter((subject) => hasOwnField(subject, field)),
    ...(values instanceof z.ZodEnum && { values: values.options.map(String) }),
    ...(named !== undefined && { ids: named }),
  };
}
