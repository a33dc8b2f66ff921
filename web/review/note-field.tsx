import type { Ref } from 'react';
import { Button } from '../design/button.tsx';
import { Kbd } from '../design/kbd.tsx';
import type { Remark } from './answers.ts';

const MAX_NOTE = 2_000;

/** What goes with the answer. It is typed before the answer is given. */
export const NoteField = ({
  remark,
  isOpen,
  onOpen,
  onChange,
  field,
  onLeave,
}: {
  remark: Remark;
  isOpen: boolean;
  onOpen: () => void;
  onChange: (remark: Remark) => void;
  field: Ref<HTMLTextAreaElement>;
  onLeave: () => void;
}) =>
  !isOpen ? (
    <Button kind="plain" className="note-button" onClick={onOpen} aria-keyshortcuts="n">
      Add a note <Kbd>n</Kbd>
    </Button>
  ) : (
    <div className="note">
      <div className="field">
        <label htmlFor="note">Note to the answer</label>
        <textarea
          id="note"
          ref={field}
          className="input"
          rows={3}
          maxLength={MAX_NOTE}
          aria-describedby="note-hint"
          value={remark.note}
          onChange={({ target }) => onChange({ ...remark, note: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onLeave();
          }}
        />
        <p className="dim" id="note-hint">
          For colleagues. A note to another domain names you.
        </p>
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={remark.trainingEligible}
          onChange={({ target }) => onChange({ ...remark, trainingEligible: target.checked })}
        />
        <span>This answer may teach the model</span>
      </label>
    </div>
  );
