import { useMemo } from 'react';
import { stored, useStored } from '../design/stored.ts';

const COLUMNS = ['type', 'risk', 'label', 'content', 'format', 'size', 'changed', 'seen'] as const;
export type Column = (typeof COLUMNS)[number];

export const COLUMN_NAMES: Readonly<Record<Column, string>> = {
  type: 'Type',
  risk: 'Risk',
  label: 'Label',
  content: 'Content',
  format: 'Format',
  size: 'Size',
  changed: 'Changed',
  seen: 'Last seen',
};

const NONE = 'none';
const USUAL = 'type,risk,label,content,changed';
const remembered = stored<string>('columns.assets', USUAL, (text) => (text === '' ? undefined : text));

/** The columns that the address names, or those that were chosen last in this browser. Unknown ones are left out. */
export function useColumns(written: string | undefined): readonly Column[] {
  const last = useStored(remembered);
  return useMemo(() => {
    const names = (written ?? last).split(',');
    return COLUMNS.filter((column) => names.includes(column));
  }, [written, last]);
}

/** Chooses columns. The choice goes into the address, and is remembered. */
export function ColumnChoice({
  columns,
  onChange,
}: {
  columns: readonly Column[];
  onChange: (written: string) => void;
}) {
  const toggle = (column: Column) => {
    const chosen = COLUMNS.filter((each) => (each === column) !== columns.includes(each));
    const written = chosen.length === 0 ? NONE : chosen.join(',');
    remembered.set(written);
    onChange(written);
  };
  return (
    <details>
      <summary>Columns</summary>
      <fieldset className="row chips column-choice" aria-label="Columns">
        {COLUMNS.map((column) => (
          <label className="check" key={column}>
            <input type="checkbox" checked={columns.includes(column)} onChange={() => toggle(column)} />
            {COLUMN_NAMES[column]}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
