import { useState } from 'react';
import {
  Autocomplete,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  SearchField,
  useFilter,
} from 'react-aria-components';

export type Choice = { id: string; name: string; text?: string };

/** A field that narrows a list as one types: arrows move, Enter chooses. */
export function TypeAhead({
  label,
  choices,
  onChoose,
}: {
  label: string;
  choices: readonly Choice[];
  onChoose: (choice: Choice) => void;
}) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const shown = choices.filter(({ name, text: more }) => contains(`${name} ${more ?? ''}`, text));
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField className="field" autoFocus>
        <Label>{label}</Label>
        <Input className="input" />
      </SearchField>
      <ListBox
        className="options"
        aria-label={label}
        items={shown}
        selectionMode="none"
        onAction={(key) => {
          const chosen = choices.find(({ id }) => id === key);
          if (chosen !== undefined) onChoose(chosen);
        }}
        renderEmptyState={() => <p className="empty">Nothing has this name.</p>}
      >
        {({ name, text: more }) => (
          <ListBoxItem className="option" textValue={name}>
            <span className="strong">{name}</span>
            {more !== undefined && <span className="dim">{more}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
}
