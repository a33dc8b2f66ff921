import { useEffect, useRef } from 'react';
import { type Stored, stored } from '../design/stored.ts';

/** Keys by what `KeyboardEvent.key` says, so that they work on every layout. */
export type Keys = Readonly<Record<string, () => void>>;

/** Where keys belong to what has the focus. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="combobox"], [role="listbox"], ' +
  '[role="menu"], [role="dialog"], [role="alertdialog"]';

const CHORD_MS = 1_000;

type Layer = { keys: Keys; chords: Keys };

const layers: Layer[] = [];
/** Set by the switch beside the list of keys: keys of one letter disturb people who dictate (WCAG 2.1.4). */
let isOn: () => boolean = () => true;
let openChordUntil = 0;

function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isInOwn(event.target) || isInOwn(document.activeElement)) return;
  if (!isOn()) return;
  const isChord = event.timeStamp < openChordUntil;
  if (['Shift', 'CapsLock', 'Dead'].includes(event.key)) return;
  openChordUntil = 0;
  // A key that is held down goes by questions that nobody has looked at.
  if (event.repeat) return;
  // An open `g` owns the next key, known or not: `g e` must not open excerpts.
  if (!isChord && event.key === 'g') {
    openChordUntil = event.timeStamp + CHORD_MS;
    return;
  }
  const found = layers
    .toReversed()
    .map(({ keys, chords }) => (isChord ? chords : keys)[event.key])
    .find((each) => each !== undefined);
  if (found === undefined) return;
  event.preventDefault();
  found();
}

const isInOwn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(OWN_KEYS) !== null;

let isListening = false;

/** Keys of a view while it is shown. Those of the innermost view win. `chords` follow a `g`. */
export function useKeys(keys: Keys, chords: Keys = {}): void {
  const layer = useRef<Layer>({ keys, chords });
  layer.current.keys = keys;
  layer.current.chords = chords;
  useEffect(() => {
    const own = layer.current;
    layers.push(own);
    if (!isListening) addEventListener('keydown', listen);
    isListening = true;
    return () => {
      layers.splice(layers.indexOf(own), 1);
    };
  }, []);
}

export type SingleKeys = 'on' | 'off';

const switches = new Map<string, Stored<SingleKeys>>();

/** Whether keys of one letter are on, remembered for each person of this browser. */
export function singleKeysOf(principalId: string): Stored<SingleKeys> {
  const known =
    switches.get(principalId) ??
    stored<SingleKeys>(`keys.${principalId}`, 'on', (text) =>
      text === 'on' || text === 'off' ? text : undefined,
    );
  switches.set(principalId, known);
  isOn = () => known.get() === 'on';
  return known;
}
