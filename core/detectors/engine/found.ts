import type { ColumnText } from '../../kernel/table-text.ts';
import type { DetectorHits } from '../detector.ts';
import type { PlainText } from './plain-text.ts';
import type { Span } from './prove-many.ts';

/** All that a search knows of a text. */
export type Found = {
  readonly hits: DetectorHits[];
  /** Stretches that some detector did not read because of a bound. They may overlap. */
  readonly unread: readonly Span[];
  /** Stretches that may be identifiers. They may overlap. */
  readonly doubtful: readonly Span[];
  /** The same search in a part of the text, which is short enough to be read as a whole. */
  readonly again: (part: string) => Found;
  /** The value of a table at an offset, with the name of its column. Null outside of a table whose columns are known. */
  readonly valueAt: (offset: number) => (Span & { readonly column: string }) | null;
};

/** The columns of a table at the offsets of its plain text. */
export const plainColumns = (columns: readonly ColumnText[], { toPlain }: PlainText): ColumnText[] =>
  columns.map((column) => ({ ...column, start: toPlain(column.start), end: toPlain(column.end) }));

/** What was found in a plain text, at the offsets of the text as it is written. */
export function inWritten(
  found: Omit<Found, 'again'>,
  { toWritten, toPlain }: PlainText,
): Omit<Found, 'again'> {
  const written = <S extends Span>(span: S): S => ({
    ...span,
    start: toWritten(span.start),
    end: span.end > span.start ? toWritten(span.end - 1) + 1 : toWritten(span.end),
  });
  return {
    hits: found.hits.map((each) => ({ ...each, hits: each.hits.map(written) })),
    unread: found.unread.map(written),
    doubtful: found.doubtful.map(written),
    valueAt: (offset) => {
      const value = found.valueAt(toPlain(offset));
      return value && written(value);
    },
  };
}
