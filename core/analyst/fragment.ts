import type { Dimension, Order, SimpleCondition, Subject } from './plan.ts';
import type { NameKind } from './vocabulary.ts';

export type TimeField = Extract<SimpleCondition, { from?: string | undefined }>['field'];
export type Comparison = 'more' | 'less' | 'least' | 'most' | 'exactly' | 'between';
export type Direction = 'ascending' | 'descending';
export type Orders = Partial<Record<Subject, Order>>;

/** What a phrase brings into a plan. What depends on the subject is given for each. */
export type Fragment = {
  /** A condition. The first reading that the subject has is meant. */
  readings?: readonly SimpleCondition[];
  subject?: Subject;
  /** The time of a verb. */
  time?: Partial<Record<Subject, TimeField>>;
  /** What a person did to a row, or has to do with it. */
  role?: 'owner' | 'requester' | 'acknowledgedBy';
  dimensions?: readonly Dimension[];
  /** What the name beside it is the name of. */
  names?: NameKind;
  by?: Orders;
  direction?: Direction;
  comparison?: Comparison;
  measured?: 'size' | 'copies' | 'confidence';
  factor?: number;
  show?: 'count' | 'size' | 'share';
  /** It compares with another day, if one is said too. */
  compared?: true;
  ids?: readonly string[];
  field?: 'words' | 'name' | 'folder';
  /** It says no more than what is beside it. */
  idle?: true;
  /** People who may open something. What follows may say which people, and not which rows. */
  people?: true;
};

/**
 * The part of speech of a phrase, as one letter of the patterns in rules.ts.
 *
 * | Letter | Means | Letter | Means |
 * | --- | --- | --- | --- |
 * | N F K A Z | assets, findings, candidates, actions, scopes | C | condition |
 * | D T S P I L | name of a domain, type, scope, person, identifier, label | J | family of finds |
 * | V | verb with a time or person | W | window of time |
 * | l G | label, labelled | q | owner |
 * | d v y | dimension, level, quantity | s | severity |
 * | # U % M Y | number, unit, percent, comparison, `or more` | m t | before text, quoted text |
 * | & / ~ , n x X | and, or, but, comma, not, except, outside | 2 e ! | both, all, only |
 * | i o f r w k b g a u z | in, of, for, from, with, contain, by, per, as, about, sorted by | c | access |
 * | 0 9 | compared with, and the day of it | | |
 * | j 3 4 5 | address, people at, bounds of groups, what I have | H | which, that rows are counted by |
 * | Q @ h p O E < | how many, by number of, which, top, order, most, direction | _ | unknown |
 */
export type Entry = readonly [phrases: readonly string[], tag: string, fragment: Fragment];

/** The time that is meant where no verb says which. */
export const TIME = {
  assets: 'modified',
  findings: 'opened',
  candidates: 'asked',
  actions: 'requested',
  scopes: 'scanned',
} as const satisfies Record<Subject, TimeField & Order>;
