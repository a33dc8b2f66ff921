import { decimals } from './decimals.ts';

export type SignedBar = { label: string; value: number; hint?: string };

/** Bars that go right for what speaks for it and left for what speaks against it. Screen readers read a list. */
export function SignedBars({ bars, caption }: { bars: readonly SignedBar[]; caption: string }) {
  const widest = Math.max(1, ...bars.map(({ value }) => Math.abs(value)));
  return (
    <ul className="bars" aria-label={caption}>
      {bars.map(({ label, value, hint }) => {
        const width = (Math.abs(value) / widest) * 50;
        return (
          <li className="bar" key={label} title={hint}>
            <span>{label}</span>
            <span className="bar-track" aria-hidden="true">
              <svg role="presentation">
                <rect
                  className={value < 0 ? 'bar-against' : 'bar-for'}
                  x={`${value < 0 ? 50 - width : 50}%`}
                  width={`${width}%`}
                  height="10"
                  rx="3"
                />
              </svg>
            </span>
            <span className="dim num">{signed(value)}</span>
          </li>
        );
      })}
    </ul>
  );
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${decimals(Math.abs(value), 1)}`;
