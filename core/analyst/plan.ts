import { z } from 'zod';
import { ACTION_KINDS } from '../actions/action-schema.ts';
import { SENSITIVITIES } from '../ai/taxonomy-proposal.ts';
import { ContentStateSchema, LabelStateSchema } from '../assets/asset-schema.ts';
import { FIND_FAMILIES } from '../detectors/detector.ts';
import { EXPOSURES } from '../findings/exposure.ts';
import { FINDING_STATUSES } from '../findings/next-status.ts';
import { FINDING_KINDS } from '../findings/risk.ts';
import { ACTION_STATUSES, SEVERITIES, SOURCE_FAMILIES } from '../kernel/vocabulary.ts';
import { CandidateStatusSchema } from '../review/candidate-states.ts';
import { MEASURED, measureOf } from './comparison.ts';

export const SUBJECTS = ['assets', 'findings', 'candidates', 'actions', 'scopes'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** What assets have, or scopes use, by the number of which they can be selected. */
const PARTS = ['findings', 'candidates', 'actions'] as const;
export type Part = (typeof PARTS)[number];

/** `unclassified`: the asset is tied to no domain. Only readers of the whole tenant see such assets. */
export const PROVENANCES = ['confirmed', 'inferred', 'routed', 'unclassified'] as const;
const COVERAGES = ['baseline', 'delta', 'stale', 'never'] as const;
const BANDS = ['high', 'review', 'routed'] as const;

/** Which finds of an identifier count. */
const FINDS = ['sure', 'all'] as const;

/** Rows of an answer. */
export const MAX_ROWS = 200;
export const DEFAULT_ROWS = 50;
const MAX_VALUES = 50;
const MAX_CONDITIONS = 20;

/** In a plan, the person who runs it. */
export const ME = 'me';

const Id = z.string().min(1).max(100);
const not = z.literal(true).optional().describe('The condition must not hold');

const anyOf = <F extends string, V extends z.ZodType>(field: F, value: V) =>
  z.strictObject({ field: z.literal(field), any: z.array(value).min(1).max(MAX_VALUES), not });

/** Of the bounds, `min` and `max` are included. */
const range = <F extends string, V extends z.ZodType>(field: F, value: V) =>
  z.strictObject({ field: z.literal(field), min: value.optional(), max: value.optional() });

/** Fields of what may not have happened yet. What has not happened is in no window, so it is in every opposite. */
const EVENTS: readonly Field[] = ['acknowledged', 'resolved', 'answered', 'scanned'];
export const isEvent = (field: Field): boolean => EVENTS.includes(field);

/**
 * `from` is included, `to` is not. A moment that is not known matches neither the window nor its opposite, except for
 * events (`isEvent`).
 */
const within = <F extends string>(field: F) =>
  z.strictObject({
    field: z.literal(field),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    not,
  });

const Whole = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

const text = <F extends string>(field: F) =>
  z.strictObject({ field: z.literal(field), text: z.string().min(1).max(200), not });

const OF_ASSETS = [
  anyOf('domain', Id),
  anyOf('type', Id),
  anyOf('provenance', z.enum(PROVENANCES)),
  anyOf('sensitivity', z.enum(SENSITIVITIES)),
  anyOf('labelState', LabelStateSchema),
  anyOf('label', Id),
  anyOf('exposure', z.enum(EXPOSURES)),
  anyOf('risk', z.enum(SEVERITIES)),
  z.strictObject({
    field: z.literal('identifier'),
    any: z.array(Id).min(1).max(MAX_VALUES),
    finds: z.enum(FINDS).optional().describe('`sure` if it is left out: doubtful finds do not count'),
    least: Whole.optional().describe('At least so many finds of one of them'),
    not,
  }),
  anyOf('findFamily', z.enum(FIND_FAMILIES)),
  anyOf('format', z.string().min(1).max(20)),
  anyOf('contentState', ContentStateSchema),
  anyOf('owner', Id),
  z.strictObject({ field: z.literal('owned'), not }),
  text('words'),
  text('name'),
  text('folder'),
  text('grantee'),
  within('classified'),
  within('modified'),
  within('created'),
  within('changed'),
  within('firstSeen'),
  range('size', Whole),
  range('copies', Whole),
] as const;
const OF_ASSETS_AND_SCOPES = [anyOf('scope', Id), anyOf('family', z.enum(SOURCE_FAMILIES))] as const;
const OF_FINDINGS = [
  anyOf('findingKind', z.enum(FINDING_KINDS)),
  anyOf('severity', z.enum(SEVERITIES)),
  anyOf('findingStatus', z.enum(FINDING_STATUSES)),
  anyOf('acknowledgedBy', Id),
  within('opened'),
  within('acknowledged'),
  within('resolved'),
] as const;
const OF_CANDIDATES = [
  anyOf('candidateStatus', CandidateStatusSchema),
  anyOf('band', z.enum(BANDS)),
  range('confidence', z.number().min(0).max(1)),
  within('asked'),
  within('answered'),
] as const;
const OF_ACTIONS = [
  anyOf('actionStatus', z.enum(ACTION_STATUSES)),
  anyOf('actionKind', z.enum(ACTION_KINDS)),
  anyOf('requester', Id),
  within('requested'),
  within('moved'),
] as const;
const OF_SCOPES = [
  anyOf('coverage', z.enum(COVERAGES)),
  range('assetCount', Whole),
  anyOf('expects', Id),
  within('scanned'),
] as const;

/** A condition of one row. `any`: one of the values is enough. */
export const SimpleConditionSchema = z.discriminatedUnion('field', [
  ...OF_ASSETS,
  ...OF_ASSETS_AND_SCOPES,
  ...OF_FINDINGS,
  ...OF_CANDIDATES,
  ...OF_ACTIONS,
  ...OF_SCOPES,
]);
export type SimpleCondition = z.infer<typeof SimpleConditionSchema>;

/** How many findings, candidates or actions an asset has that meet the conditions. Without bounds: at least one. */
export const HasSchema = z.strictObject({
  field: z.literal('has'),
  of: z.enum(PARTS),
  where: z.array(SimpleConditionSchema).max(MAX_CONDITIONS),
  min: Whole.optional(),
  max: Whole.optional(),
});
export type Has = z.infer<typeof HasSchema>;

const ConditionSchema = z.union([SimpleConditionSchema, HasSchema]);
export type Condition = z.infer<typeof ConditionSchema>;
export type Field = Condition['field'];
export type FieldCondition<F extends Field> = Extract<Condition, { field: F }>;

const fieldsOf = (options: readonly { shape: { field: { value: Field } } }[]): readonly Field[] =>
  options.map(({ shape }) => shape.field.value);

/** The fields that rows of a subject have themselves. */
const OWN_FIELDS: Readonly<Record<Subject, readonly Field[]>> = {
  assets: [...fieldsOf([...OF_ASSETS, ...OF_ASSETS_AND_SCOPES]), 'has'],
  findings: fieldsOf([...OF_FINDINGS]),
  candidates: fieldsOf([...OF_CANDIDATES]),
  actions: fieldsOf([...OF_ACTIONS]),
  scopes: fieldsOf([...OF_SCOPES, ...OF_ASSETS_AND_SCOPES]),
};

export const isPart = (subject: Subject | null | undefined): subject is Part =>
  (PARTS as readonly (Subject | null | undefined)[]).includes(subject);

export const hasOwnField = (subject: Subject, field: Field): boolean => OWN_FIELDS[subject].includes(field);

/** Whether rows of the subject can be selected by the field. All but scopes have the fields of their assets too. */
const hasField = (subject: Subject, field: Field): boolean =>
  hasOwnField(subject, field) || (subject !== 'scopes' && field !== 'has' && hasOwnField('assets', field));

const OF_ANY_ASSET = [
  'domain',
  'type',
  'scope',
  'family',
  'label',
  'risk',
  'format',
  'contentState',
] as const;
export const DIMENSIONS = {
  assets: [...OF_ANY_ASSET, 'labelState', 'provenance', 'owner', 'modifiedMonth', 'grantee', 'granteeDomain'],
  findings: [...OF_ANY_ASSET, 'owner', 'severity', 'findingKind', 'findingStatus', 'openedMonth'],
  candidates: [...OF_ANY_ASSET, 'owner', 'candidateStatus', 'band'],
  actions: [...OF_ANY_ASSET, 'actionStatus', 'actionKind', 'requester'],
  scopes: ['family', 'coverage'],
} as const satisfies Readonly<Record<Subject, readonly string[]>>;
export type Dimension = (typeof DIMENSIONS)[Subject][number];
const EVERY_DIMENSION = [...new Set<Dimension>(Object.values(DIMENSIONS).flat())];

export const ORDERS = {
  assets: ['changed', 'modified', 'created', 'size', 'name', 'risk', 'copies', 'parts'],
  findings: ['severity', 'opened'],
  candidates: ['value', 'confidence', 'asked'],
  actions: ['requested'],
  scopes: ['name', 'assetCount', 'scanned'],
} as const satisfies Readonly<Record<Subject, readonly string[]>>;
/** `measure`: by the count, sum or share of the groups. `parts`: by the number that a condition `has` counts. */
export type Order = (typeof ORDERS)[Subject][number] | 'measure';
const EVERY_ORDER: readonly [Order, ...Order[]] = ['measure', ...new Set(Object.values(ORDERS).flat())];

/** What the order `parts` counts: nothing finds the actions of an asset fast. */
export const rankedBy = (where: readonly Condition[]): Has | undefined =>
  where.find((condition): condition is Has => condition.field === 'has' && condition.of !== 'actions');

/** What conditions say of who has access. In `where`, each may be met by another grant of an asset. */
export const grantConditions = (where: readonly Condition[]): FieldCondition<'exposure' | 'grantee'>[] =>
  where.filter(
    (each): each is FieldCondition<'exposure' | 'grantee'> =>
      (each.field === 'exposure' || each.field === 'grantee') && each.not !== true,
  );
export const isOfGrants = (dimension: Dimension): boolean =>
  dimension === 'grantee' || dimension === 'granteeDomain';

/**
 * A question as the service runs it. It says nothing of tenants and of what the asker may see: the executor adds both.
 * All conditions must hold.
 */
export const PlanSchema = z
  .strictObject({
    subject: z.enum(SUBJECTS),
    where: z.array(ConditionSchema).max(MAX_CONDITIONS),
    show: z.enum(['rows', 'count', 'size']).describe('`size`: the sum of the sizes of assets in bytes'),
    groupBy: z.array(z.enum(EVERY_DIMENSION)).max(2),
    order: z
      .strictObject({ by: z.enum(EVERY_ORDER), direction: z.enum(['ascending', 'descending']) })
      .nullable(),
    limit: z.int().min(1).max(MAX_ROWS).describe('Rows, or groups'),
    share: z
      .array(ConditionSchema)
      .min(1)
      .max(MAX_CONDITIONS)
      .optional()
      .describe('Counts also how many of the rows meet these conditions'),
    having: z
      .strictObject({ min: Whole.optional(), max: Whole.optional() })
      .optional()
      .describe('Only groups whose count or size is within these bounds'),
    compare: z
      .strictObject({
        earlier: z.iso.date().describe('The first of two days, in UTC'),
        later: z.iso.date().optional().describe('Without it: the last day that was measured'),
      })
      .optional()
      .describe('Counts on two days, by the daily series'),
  })
  .superRefine((plan, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    for (const list of ['where', 'share'] as const) {
      plan[list]?.forEach((condition, i) => {
        if (!hasField(plan.subject, condition.field))
          refuse([list, i], `Not a field of ${plan.subject}: ${condition.field}`);
        if (
          condition.field === 'has' &&
          condition.where.some(({ field }) => !hasOwnField(condition.of, field))
        )
          refuse([list, i, 'where'], `Only fields of ${condition.of}`);
        if (list === 'share' && condition.field === 'words') refuse([list, i], 'Words belong to `where`');
      });
    }
    if (plan.share !== undefined && plan.show !== 'count') refuse(['show'], 'A share shows a count');
    if (plan.share !== undefined && plan.subject === 'scopes') refuse(['share'], 'Not of scopes');
    if (plan.having !== undefined && plan.groupBy.length === 0) refuse(['having'], 'Only groups have bounds');
    if (plan.order?.by === 'parts' && rankedBy(plan.where) === undefined)
      refuse(['order', 'by'], 'Only with a condition on the number of findings or candidates');
    const { compare, share, having } = plan;
    if (compare !== undefined) {
      if (measureOf(plan) === null) refuse(['compare'], `The daily series holds ${MEASURED}`);
      if (plan.show !== 'count' || share !== undefined || having !== undefined)
        refuse(['show'], 'A comparison shows a count alone');
      if (plan.groupBy.some((each) => each !== 'domain') || plan.order !== null)
        refuse(['groupBy'], 'A comparison is in groups by domain or in none, without an order');
      if (compare.later !== undefined && compare.later <= compare.earlier)
        refuse(['compare', 'later'], 'After `earlier`');
    }
    const dimensions: readonly string[] = DIMENSIONS[plan.subject];
    if (plan.groupBy.some((dimension) => !dimensions.includes(dimension)))
      refuse(['groupBy'], `One of ${dimensions.join(', ')}`);
    if (plan.groupBy.some(isOfGrants) && grantConditions([...plan.where, ...(plan.share ?? [])]).length > 1)
      refuse(
        ['groupBy'],
        'Who has access is grouped under at most one condition on exposure or on who has it',
      );
    if (new Set(plan.groupBy).size < plan.groupBy.length) refuse(['groupBy'], 'Each only once');
    if (plan.groupBy.length > 0 && plan.show === 'rows') refuse(['show'], 'Groups show a count or a size');
    if (plan.show === 'size' && plan.subject !== 'assets') refuse(['show'], 'Only assets have a size');
    const orders: readonly string[] = plan.groupBy.length > 0 ? ['measure'] : ORDERS[plan.subject];
    if (plan.order !== null && !orders.includes(plan.order.by))
      refuse(['order', 'by'], `One of ${orders.join(', ')}`);
  });
export type Plan = z.infer<typeof PlanSchema>;
