import { useState } from 'react';
import { SignedBars } from './bars.tsx';
import { Button } from './button.tsx';
import { Chip, ToggleChip } from './chip.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Kbd } from './kbd.tsx';
import { Empty, Notice, Skeleton } from './notice.tsx';
import { Severity } from './severity.tsx';
import { Sparkline } from './sparkline.tsx';
import { Time } from './time.tsx';
import { type Choice, TypeAhead } from './type-ahead.tsx';

const CHOICES: readonly Choice[] = [
  { id: 'a', name: 'Payroll', text: 'Salaries and net pay.' },
  { id: 'b', name: 'Invoices', text: 'What is owed.' },
];

/** Every component on one page, to look at in both themes. */
export function DesignPage() {
  const [isOn, setOn] = useState(true);
  const [isOpen, setOpen] = useState(false);
  return (
    <main className="page">
      <h1>Design</h1>
      <section className="card stack">
        <h2>Buttons</h2>
        <div className="row">
          <Button kind="primary">Primary</Button>
          <Button>Usual</Button>
          <Button kind="plain">Plain</Button>
          <Button disabled>Disabled</Button>
          <Button onClick={() => setOpen(true)}>
            Dialog <Kbd>d</Kbd>
          </Button>
        </div>
        {isOpen && (
          <Dialog title="A dialog" onClose={() => setOpen(false)}>
            <TypeAhead label="Information type" choices={CHOICES} onChoose={() => setOpen(false)} />
          </Dialog>
        )}
      </section>
      <section className="card stack">
        <h2>Severities and chips</h2>
        <div className="row">
          <Severity level="critical" />
          <Severity level="high" />
          <Severity level="medium" />
          <Severity level="low" count={3} />
          <Chip>Payroll</Chip>
          <Chip tone="note">sent by a colleague</Chip>
          <Chip tone="dashed">put off</Chip>
          <ToggleChip isOn={isOn} onChange={setOn}>
            A filter
          </ToggleChip>
        </div>
      </section>
      <section className="card stack">
        <h2>Notices</h2>
        <Notice>Something happened.</Notice>
        <Notice tone="good">Something is done.</Notice>
        <Failure error={new TypeError('no connection')} onRetry={() => undefined} />
        <Skeleton />
        <Empty title="Nothing is here.">
          <p>Why, and what to do.</p>
        </Empty>
      </section>
      <section className="card stack">
        <h2>Pictures and times</h2>
        <SignedBars
          caption="Reasons"
          bars={[
            { label: 'Starting point', value: -4 },
            { label: 'Identifiers', value: 2.5 },
          ]}
        />
        <Sparkline values={[3, 5, 4, 8, 6, 2]} label="From 3 to 2 in 6 days" />
        <p>
          <Time at={new Date().toISOString()} />, <Time at="2025-01-01T00:00:00Z" />
        </p>
      </section>
      <section className="card stack">
        <h2>Fields</h2>
        <div className="field">
          <label htmlFor="sample">A label</label>
          <input id="sample" className="input" />
        </div>
      </section>
    </main>
  );
}
