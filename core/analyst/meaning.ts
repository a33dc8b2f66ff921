import type { Dimension, Order, SimpleCondition, Subject } from './plan.ts';
import type { NameKind } from './vocabulary.ts';

export type Comparison = 'more' | 'less' | 'least' | 'most' | 'exactly' | 'between';
export type Role = 'owner' | 'requester' | 'acknowledgedBy';
export type TimeField = Extract<SimpleCondition, { from?: string | undefined }>['field'];

/** What a phrase of the lexicon means. What depends on the subject is given for each. */
export type Meaning =
  /** A function word that says nothing of what is asked. */
  | { kind: 'filler' }
  /** `but`: it joins what differs, or leaves out what follows. */
  | { kind: 'join'; or: boolean; but?: true }
  /** `except`: it leaves out a thing with all that describes it. */
  | { kind: 'not'; except?: true }
  /** What rows are about, such as `files`. */
  | { kind: 'noun'; subject: Subject; where?: readonly SimpleCondition[] }
  /** A condition. The first reading that the subject has is meant. */
  | { kind: 'value'; readings: readonly SimpleCondition[] }
  /** A verb with a time, with a person, or alone with `readings` or `newest`. */
  | {
      kind: 'verb';
      time?: Partial<Record<Subject, TimeField>>;
      role?: Role;
      readings?: readonly SimpleCondition[];
      newest?: true;
      /** It says no more than what follows, unless it has a time. */
      idle?: true;
    }
  /** A noun that groups by it, or says what kind of thing the name beside it names. */
  | { kind: 'dimension'; dimensions: readonly Dimension[]; names?: NameKind; role?: Role }
  | { kind: 'label'; isVerb: boolean }
  /** Says of a severity beside it what is so severe. */
  | { kind: 'level'; field: 'risk' | 'severity' }
  | { kind: 'compare'; comparison: Comparison; field?: 'size' | 'confidence' }
  /** After a severity: it, and all above or below. */
  | { kind: 'orBeyond'; comparison: 'least' | 'most' }
  | { kind: 'quantity'; field: 'size' | 'copies' | 'confidence' }
  | { kind: 'unit'; bytes: number }
  | { kind: 'percent' }
  | { kind: 'by' }
  | { kind: 'sort' }
  | { kind: 'ask'; show: 'count' | 'size' }
  | { kind: 'order'; by: Partial<Record<Subject, Order>>; direction: 'ascending' | 'descending' }
  | { kind: 'extreme'; direction: 'ascending' | 'descending' }
  | { kind: 'direction'; direction: 'ascending' | 'descending' }
  | { kind: 'top' }
  | { kind: 'which' }
  /** Before quoted words that are searched for in texts, or in a `field`. `literal`: not before a name. */
  | { kind: 'text'; literal: boolean; field?: 'name' | 'folder' }
  /** What no plan can say. */
  | { kind: 'unsaid' }
  /** Before identifiers, findings or words that are searched for. `further`: `including` may also add to the rest. */
  | { kind: 'contain'; further: boolean }
  /** A verb of access, which says nothing beyond the exposure beside it. */
  | { kind: 'access' };
