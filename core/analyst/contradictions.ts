import type { Condition, SimpleCondition } from './plan.ts';

/** Fields of which an asset may have several values at once. */
const MANY: readonly Condition['field'][] = ['identifier', 'exposure'];

/** Whether no row can meet both conditions, because the field has one value; or whether one of them says nothing. */
export function excludes(one: Condition, other: Condition): boolean {
  if (one.field === other.field && isWindow(one) && isWindow(other)) return areApart(one, other);
  if (one.field === other.field && isRange(one) && isRange(other))
    return Math.max(one.min ?? 0, other.min ?? 0) > Math.min(one.max ?? Infinity, other.max ?? Infinity);
  if (!('any' in one) || !('any' in other) || one.field !== other.field || MANY.includes(one.field))
    return false;
  if (one.not === true || other.not === true) return false;
  const values: readonly string[] = one.any;
  return !other.any.some((value) => values.includes(value));
}

const isRange = (condition: Condition): condition is Extract<SimpleCondition, { min?: number | undefined }> =>
  condition.field !== 'has' && ('min' in condition || 'max' in condition);

type WindowCondition = Extract<SimpleCondition, { from?: string | undefined }>;
const isWindow = (condition: Condition): condition is WindowCondition =>
  'from' in condition || 'to' in condition;

/** `in the last week of February` is in neither of two windows, and `in 2024 but not in March` not in this March. */
const areApart = (one: WindowCondition, other: WindowCondition): boolean =>
  (one.not !== true || other.not !== true) &&
  [[one, other] as const, [other, one] as const].some(
    ([early, late]) => early.to !== undefined && late.from !== undefined && early.to <= late.from,
  );
