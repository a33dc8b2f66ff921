import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../design/button.tsx';
import { type Stored, stored, useStored } from '../design/stored.ts';
import { type AssetSearch, assetSearch } from '../shell/routes.tsx';
import { useMe } from '../shell/session.ts';

/** A view is its address: filters, order and columns. No file is remembered. */
type View = { name: string; search: AssetSearch };

const MAX_VIEWS = 20;
const MAX_NAME = 60;

const kept = new Map<string, Stored<string>>();

/** The views that a person has saved in this browser. */
function viewsOf(principalId: string): Stored<string> {
  const known = kept.get(principalId) ?? stored<string>(`views.assets.${principalId}`, '[]', (text) => text);
  kept.set(principalId, known);
  return known;
}

/** What was written by another release, or by hand, is left out. */
function read(text: string): View[] {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(items)) return [];
  return items.slice(0, MAX_VIEWS).flatMap((item: unknown): View[] => {
    const { name, search } = (item ?? {}) as { name?: unknown; search?: unknown };
    if (typeof name !== 'string' || typeof search !== 'object' || search === null) return [];
    return [{ name: name.slice(0, MAX_NAME), search: assetSearch(search as Record<string, unknown>) }];
  });
}

const written = (search: AssetSearch): string => JSON.stringify(Object.entries(search).sort());

export function SavedViews({ search }: { search: AssetSearch }) {
  const store = viewsOf(useMe().principalId);
  const views = read(useStored(store));
  const [name, setName] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLElement>(null);
  const current = views.find((view) => written(view.search) === written(search));
  const write = (changed: readonly View[]) => {
    store.set(JSON.stringify(changed));
    setName(null);
    // The button or the field is gone.
    list.current?.focus();
  };
  const isFull = views.length >= MAX_VIEWS;
  const canSave = current === undefined && Object.keys(search).length > 0;
  return (
    <nav className="row saved-views" aria-label="Saved views" ref={list} tabIndex={-1}>
      {views.map((view) => (
        <Link
          key={view.name}
          className="chip"
          to="/assets"
          search={view.search}
          activeOptions={{ exact: true }}
          dir="auto"
        >
          {view.name}
        </Link>
      ))}
      {current !== undefined && (
        <Button kind="plain" onClick={() => write(views.filter(({ name: each }) => each !== current.name))}>
          Forget this view
        </Button>
      )}
      {canSave && name === null && (
        <Button
          ref={opener}
          kind="plain"
          disabled={isFull}
          title={isFull ? `There are ${MAX_VIEWS} already. Forget one first.` : undefined}
          onClick={() => {
            flushSync(() => setName(''));
            field.current?.focus();
          }}
        >
          Save this view
        </Button>
      )}
      {canSave && name !== null && (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            const chosen = name.trim();
            // The same name again replaces the view.
            if (chosen !== '')
              write([...views.filter((view) => view.name !== chosen), { name: chosen, search }]);
          }}
        >
          <input
            ref={field}
            className="input view-name"
            aria-label="Name of the view"
            placeholder="Name of the view"
            maxLength={MAX_NAME}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={({ key }) => {
              if (key !== 'Escape') return;
              flushSync(() => setName(null));
              opener.current?.focus();
            }}
          />
          <Button type="submit">Save</Button>
        </form>
      )}
    </nav>
  );
}
