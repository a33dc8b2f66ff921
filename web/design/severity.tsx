/** The shapes are drawn, because a font may not have them. */
const SHAPES = {
  critical: ['M5 0L10 5L5 10L0 5Z', 'Critical'],
  high: ['M5 1L10 9.5H0Z', 'High'],
  medium: ['M1 1H9V9H1Z', 'Medium'],
  low: ['M5 1a4 4 0 1 0 .01 0Z', 'Low'],
} as const;

export type SeverityLevel = keyof typeof SHAPES;

/** A severity: its shape differs as well as its colour. */
export function Severity({ level, count }: { level: SeverityLevel; count?: number }) {
  const [shape, word] = SHAPES[level];
  return (
    <span className="severity" data-level={level}>
      <svg aria-hidden="true" width="9" height="9" viewBox="0 0 10 10">
        <path d={shape} fill="currentColor" />
      </svg>
      {count === undefined ? word : `${count} ${word.toLowerCase()}`}
    </span>
  );
}
