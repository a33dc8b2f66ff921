import {
  HTTP_METHODS,
  RETRY_CLASSES,
  SOURCE_FAMILIES,
  STAGE_OUTCOMES,
  STAGES,
  type Stage,
  type StageOutcome,
  UNIT_KINDS,
} from '../kernel/vocabulary.ts';
import { type AcceptedBy, amount, oneOf, route } from './field-rules.ts';
import { EXTRACTION_STATES, SOURCE_OPERATIONS, TRANSACTION_KINDS, UNIT_OUTCOMES } from './vocabulary.ts';

type StageField = `svc.stage.${Stage}`;
const stageField = (stage: Stage): StageField => `svc.stage.${stage}`;

/**
 * Every attribute that a caller may give a span, with what it may hold. As with log fields, names, paths, addresses,
 * content, tokens and hashes have no attribute. Ids have none either.
 */
const FIELDS = {
  'http.request.method': oneOf(HTTP_METHODS),
  'http.route': route,
  'http.response.status_code': amount,
  'svc.unit.kind': oneOf(UNIT_KINDS),
  'svc.unit.attempt': amount,
  /** How many units ran together. */
  'svc.unit.count': amount,
  'svc.unit.outcome': oneOf(UNIT_OUTCOMES),
  'svc.retry_class': oneOf(RETRY_CLASSES),
  ...(Object.fromEntries(STAGES.map((stage) => [stageField(stage), oneOf(STAGE_OUTCOMES)])) as Record<
    StageField,
    ReturnType<typeof oneOf<StageOutcome>>
  >),
  'svc.transaction.kind': oneOf(TRANSACTION_KINDS),
  'svc.transaction.statements': amount,
  /** How long the transaction waited for a connection. */
  'svc.transaction.waited_ms': amount,
  'svc.source.family': oneOf(SOURCE_FAMILIES),
  'svc.source.operation': oneOf(SOURCE_OPERATIONS),
  'svc.content.state': oneOf(EXTRACTION_STATES),
} as const;

type FieldName = keyof typeof FIELDS;

export type SpanFields = { readonly [K in FieldName]?: AcceptedBy<(typeof FIELDS)[K]> | undefined };

/** Refuses what `SpanFields` does not name, also in an object that was not written in place. */
export type OnlySpanFields<F> = F & { readonly [K in Exclude<keyof F, keyof SpanFields>]: never };

const isField = (name: string): name is FieldName => Object.hasOwn(FIELDS, name);

/** The allowlisted attributes, each as its rule leaves it. Everything else is dropped. */
export function safeAttributes(fields: SpanFields): Record<string, string | number> {
  const safe: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (isField(name) && value !== undefined) safe[name] = FIELDS[name](value);
  }
  return safe;
}

/** The attributes of each stage of a unit. */
export const stageFields = (outcomes: Partial<Record<Stage, StageOutcome>>): SpanFields =>
  Object.fromEntries(
    STAGES.flatMap((stage) => {
      const outcome = outcomes[stage];
      return outcome === undefined ? [] : [[stageField(stage), outcome]];
    }),
  );
