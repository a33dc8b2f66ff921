import type { Bounds } from './conditions.ts';
import type { Direction, Orders } from './fragment.ts';
import type { Condition, Subject } from './plan.ts';
import type { Item } from './tagger.ts';

/** Conditions of which one is meant: the first that the rows have. */
export type Readings = readonly Condition[];

/** What some words bring into a plan. */
export type Piece = {
  where?: readonly Readings[];
  /** What follows does not describe it. */
  isClosed?: true;
  /** The rows, or the files that they are about. */
  noun?: Item | undefined;
  /** What the question is about, as in `which domains`: rows are counted by it. */
  lead?: Item | undefined;
  groups?: readonly Item[];
  ask?: Item | undefined;
  order?: { by: Orders; direction: Direction };
  /** Groups are in the order of their counts. */
  ranked?: Item | undefined;
  limit?: Item;
  having?: Bounds;
  /** The day to compare with. */
  day?: Item | undefined;
  /** A verb, whose time may follow. */
  verb?: Item;
  window?: Item | undefined;
};

/** What is known of the question before some words. */
type Context = {
  subject: Subject;
  lead: Item | undefined;
  limit: Item | undefined;
  before: Item | undefined;
};

export type Build = (items: readonly Item[], context: Context) => Piece | null;

export const find = (items: readonly Item[], tags: string): Item | undefined =>
  items.find(({ tag }) => tags.includes(tag));
export const has = (items: readonly Item[], tags: string): boolean => find(items, tags) !== undefined;
export const fieldOf = (item: Item | undefined): Condition['field'] | undefined => item?.readings?.[0]?.field;
export const idsOf = (items: readonly Item[], tag: string): string[] => [
  ...new Set(items.flatMap((each) => (each.tag === tag ? (each.ids ?? []) : []))),
];
export const where = (...conditions: Condition[]): Piece => ({ where: conditions.map((each) => [each]) });
export const not = (isNot: boolean) => (isNot ? { not: true as const } : {});

export const nothing: Build = () => ({});
