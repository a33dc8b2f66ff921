import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { useStored } from '../design/stored.ts';
import { singleKeysOf } from './keys.ts';
import type { Me } from './session.ts';
import { VIEWS } from './views.ts';

const KEYS: readonly [view: string, keys: readonly [key: string, what: string][]][] = [
  ['Everywhere', [['?', 'This list']]],
  ['Assets', [['/', 'Search']]],
  [
    'Review',
    [
      ['1', 'Mine'],
      ['2 or t', 'Mine, another type'],
      ['3', 'Another domain'],
      ['4', 'Mine, not sensitive'],
      ['5', 'Not a match'],
      ['6', 'Need more evidence'],
      ['j', 'Next question'],
      ['k', 'Previous question'],
      ['u', 'Take the last answer back'],
      ['n', 'Note to the answer'],
      ['e', 'Read excerpts. The audit trail records it.'],
      ['x', 'In a walk through those alike: leave this one out'],
      ['/', 'Search in the queue'],
    ],
  ],
];

/** All keys, and the switch that turns those of one letter off. */
export function KeyList({ me, onClose }: { me: Me; onClose: () => void }) {
  const kept = singleKeysOf(me.principalId);
  const isOn = useStored(kept) === 'on';
  const views = VIEWS.filter(({ has }) => has(me)).map(({ key, name }) => [`g ${key}`, name] as const);
  return (
    <Dialog title="Keys" onClose={onClose}>
      {[['Views', views] as const, ...KEYS].map(([view, keys]) => (
        <section key={view}>
          <h3>{view}</h3>
          <table className="table">
            <tbody>
              {keys.map(([key, what]) => (
                <tr key={key}>
                  <th scope="row">
                    <kbd>{key}</kbd>
                  </th>
                  <td>{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => kept.set(target.checked ? 'on' : 'off')}
        />
        <span>
          Keys of one letter are on. Turn them off if you dictate, or if your keyboard sends them by accident.
        </span>
      </label>
      <div>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
