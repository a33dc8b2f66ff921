import type { Meaning, Role, TimeField } from './meaning.ts';
import type { Window } from './moments.ts';
import type { Piece } from './pieces.ts';
import { type Dimension, isEvent, type Order, type SimpleCondition, type Subject } from './plan.ts';

export type Direction = 'ascending' | 'descending';
export type Bounds = { min?: number; max?: number };

/** A verb that waits for a time or a person, which may come later in the question. */
export type Verb = {
  piece: Piece;
  meaning: Extract<Meaning, { kind: 'verb' }>;
  negated: boolean;
  hasPerson: boolean;
  hasTime: boolean;
};

/** What a question says, in its order. Which rows a condition is about is decided when all is read. */
export type Statement =
  | { kind: 'noun'; piece: Piece; subject: Subject; negated: boolean; bounds: Bounds | null }
  /** `readings` have the same meaning for different subjects. `field`: the only field that is meant. */
  | { kind: 'value'; piece: Piece; readings: SimpleCondition[] }
  /** `ofStatus`: the status before it, if the time since which it holds is meant, and not that of the row. */
  | {
      kind: 'window';
      piece: Piece;
      window: Window;
      verb: Verb | null;
      negated: boolean;
      ofStatus: readonly SimpleCondition[] | null;
    }
  | { kind: 'person'; piece: Piece; ids: string[]; role: Role | null; negated: boolean; end: number };

export type Reading = {
  statements: Statement[];
  verbs: Verb[];
  ask: { piece: Piece; show: 'count' | 'size' } | null;
  /** For each grouping, the dimensions that the word may mean. */
  groupBy: { piece: Piece; dimensions: readonly Dimension[] }[];
  /** The dimension that the question asks for: `which domains …`. */
  lead: { piece: Piece; dimensions: readonly Dimension[]; isSingle: boolean } | null;
  order: { piece: Piece; by: Partial<Record<Subject, Order>>; direction: Direction } | null;
  /** `most` and `fewest`: of groups. */
  extreme: { piece: Piece; direction: Direction } | null;
  limit: { piece: Piece; rows: number } | null;
  /** `top 10`, which says that an order follows. */
  top: Piece | null;
  /** Words without which the question would mean something else, and which are not understood. */
  unexplained: Piece[];
};

export const emptyReading = (): Reading => ({
  statements: [],
  verbs: [],
  ask: null,
  groupBy: [],
  lead: null,
  order: null,
  extreme: null,
  limit: null,
  top: null,
  unexplained: [],
});

/** The opposite of a condition. */
export function negatedCondition(condition: SimpleCondition): SimpleCondition[] {
  if (condition.field === 'labelState' && condition.not === undefined && condition.any.length === 1) {
    if (condition.any[0] === 'labeled') return [{ field: 'labelState', any: ['unlabeled'] }];
    if (condition.any[0] === 'unlabeled') return [{ field: 'labelState', any: ['labeled'] }];
  }
  if (condition.field === 'size' || condition.field === 'copies' || condition.field === 'assetCount') {
    const { field, min, max } = condition;
    if (min !== undefined && max === undefined && min > 0) return [{ field, max: min - 1 }];
    if (max !== undefined && min === undefined) return [{ field, min: max + 1 }];
    return [];
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
