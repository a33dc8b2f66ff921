import type { ReactNode } from 'react';

type Tone = 'usual' | 'note' | 'dashed';

export const Chip = ({ children, tone = 'usual' }: { children: ReactNode; tone?: Tone }) => (
  <span className="chip" data-tone={tone}>
    {children}
  </span>
);

/** A filter that is on or off. */
export const ToggleChip = ({
  isOn,
  onChange,
  children,
}: {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
}) => (
  <button type="button" className="chip" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
    {children}
  </button>
);
