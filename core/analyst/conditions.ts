import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import type { Comparison, TimeField } from './fragment.ts';
import type { Window } from './moments.ts';
import { type Condition, isEvent, type SimpleCondition } from './plan.ts';

export type Bounds = { min?: number; max?: number };

const MAX_BYTES = 2 ** 50;
/** Fields of which an asset may have several values at once. */
const MANY: readonly Condition['field'][] = ['identifier', 'exposure', 'findFamily'];

/** The opposite of a condition. Empty if there is none. */
export function opposite(condition: Condition): Condition[] {
  if (condition.field === 'has')
    return 'min' in condition || 'max' in condition ? [] : [{ ...condition, max: 0 }];
  if (condition.field === 'labelState' && condition.not === undefined && condition.any.length === 1) {
    if (condition.any[0] === 'labeled') return [{ field: 'labelState', any: ['unlabeled'] }];
    if (condition.any[0] === 'unlabeled') return [{ field: 'labelState', any: ['labeled'] }];
  }
  if (condition.field === 'size' || condition.field === 'copies' || condition.field === 'assetCount') {
    const { field, min, max } = condition;
    if (min !== undefined && max === undefined && min > 0) return [{ field, max: min - 1 }];
    return max !== undefined && min === undefined ? [{ field, min: max + 1 }] : [];
  }
  if (condition.field === 'confidence') return [];
  const { not, ...plain } = condition;
  return [not === true ? plain : ({ ...plain, not: true } as SimpleCondition)];
}

/** A condition on a window. The opposite of an open window is the other side of it, except for events. */
export function windowCondition(field: TimeField, { from, to }: Window, negated: boolean): SimpleCondition {
  const at = (moment: number) => new Date(moment).toISOString();
  const isOneSided = !isEvent(field) && negated;
  if (isOneSided && from !== undefined && to === undefined) return { field, to: at(from) };
  if (isOneSided && to !== undefined && from === undefined) return { field, from: at(to) };
  return {
    field,
    ...(from !== undefined && { from: at(from) }),
    ...(to !== undefined && { to: at(to) }),
    ...(negated && { not: true as const }),
  };
}

/** One condition that any of several on the same field meets, or null. */
export function either(conditions: readonly Condition[]): Condition | null {
  const [first] = conditions;
  if (first === undefined || !('any' in first)) return null;
  const any: string[] = [];
  for (const each of conditions) {
    if (each.field !== first.field || !('any' in each) || each.not !== first.not) return null;
    any.push(...each.any);
  }
  return { ...first, any: [...new Set(any)] } as Condition;
}

/** When a row came to have a status. Null if that is not kept. */
export function statusTime(status: Condition | undefined): TimeField | null {
  if (status === undefined || ('not' in status && status.not === true)) return null;
  if (status.field === 'actionStatus') return 'moved';
  // A finding that is opened again keeps the time at which it was opened first.
  if (status.field === 'findingStatus')
    return status.any.includes('open') && !status.any.includes('resolved') ? 'opened' : null;
  if (status.field !== 'candidateStatus' || status.any.includes('withdrawn')) return null;
  return status.any.includes('pending') ? 'asked' : 'answered';
}

/** The severities that a comparison with one allows. */
export function severitiesBy(severity: Severity, comparison: Comparison): Severity[] {
  const at = SEVERITIES.indexOf(severity);
  const allows: Readonly<Record<Comparison, (i: number) => boolean>> = {
    more: (i) => i > at,
    least: (i) => i >= at,
    less: (i) => i < at,
    most: (i) => i <= at,
    exactly: (i) => i === at,
    between: () => false,
  };
  return SEVERITIES.filter((_, i) => allows[comparison](i));
}

/** Bounds of a comparison with a measure, or null if nothing fits. */
export function boundsOf(
  measured: 'size' | 'copies' | 'confidence' | 'count',
  comparison: Comparison,
  number: number,
  other: number | null,
): Bounds | null {
  const isShare = measured === 'confidence';
  const step = isShare ? 0.000_001 : 1;
  const rounded = (at: number) => (isShare ? Number(at.toFixed(6)) : Math.round(at));
  const value = rounded(number);
  if (measured !== 'size' && !isShare && !Number.isSafeInteger(number)) return null;
  const bounds: Readonly<Record<Comparison, Bounds | null>> = {
    more: { min: rounded(value + step) },
    less: { max: rounded(value - step) },
    least: { min: value },
    most: { max: value },
    exactly: { min: value, max: value },
    between: other === null || other < number ? null : { min: value, max: rounded(other) },
  };
  const found = bounds[comparison];
  const most = isShare ? 1 : MAX_BYTES;
  return found !== null && Object.values(found).every((each) => each >= 0 && each <= most) ? found : null;
}

/** Whether no row can meet both conditions, because the field has one value; or whether one of them says nothing. */
export function excludes(one: Condition, other: Condition): boolean {
  if (one.field !== other.field || one.field === 'has' || other.field === 'has') return false;
  if (isWindow(one) && isWindow(other)) return areApart(one, other);
  if (isRange(one) && isRange(other))
    return Math.max(one.min ?? 0, other.min ?? 0) > Math.min(one.max ?? Infinity, other.max ?? Infinity);
  if (!('any' in one) || !('any' in other)) return false;
  const values: readonly string[] = one.any;
  const isShared = other.any.some((value) => values.includes(value));
  // `not shared with anyone`: what one leaves out the other asks for.
  if (one.not !== other.not) return isShared;
  return one.not !== true && !isShared && !MANY.includes(one.field);
}

const isRange = (
  condition: SimpleCondition,
): condition is Extract<SimpleCondition, { min?: number | undefined }> =>
  'min' in condition || 'max' in condition;

type WindowCondition = Extract<SimpleCondition, { from?: string | undefined }>;
const isWindow = (condition: SimpleCondition): condition is WindowCondition =>
  'from' in condition || 'to' in condition;

/** `in the last week of February` is in neither of two windows, and `in 2024 but not in March` not in this March. */
const areApart = (one: WindowCondition, other: WindowCondition): boolean =>
  (one.not !== true || other.not !== true) &&
  [[one, other] as const, [other, one] as const].some(
    ([early, late]) => early.to !== undefined && late.from !== undefined && early.to <= late.from,
  );
