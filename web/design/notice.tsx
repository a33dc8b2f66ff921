import type { ReactNode } from 'react';

/** Something that happened, in the place that it is about. Screen readers read it at once. */
export const Notice = ({
  tone = 'usual',
  children,
}: {
  tone?: 'usual' | 'good' | 'bad';
  children: ReactNode;
}) => (
  <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** A view or a part without content: why it is empty, and what to do. Screen readers read it when it comes. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty" role="status">
    <h2>{title}</h2>
    {children}
  </div>
);

const LINES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** What is loading, in the size that it will have. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div className="stack" role="status" aria-label="Loading">
    {LINES.slice(0, lines).map((line) => (
      <div className="skeleton" key={line}>
        &nbsp;
      </div>
    ))}
  </div>
);
