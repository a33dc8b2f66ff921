const WIDTH = 120;
const HEIGHT = 28;

/** A small series. The label says it in words. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * (WIDTH - 4) + 2;
    return `${x.toFixed(1)},${(HEIGHT - 3 - ((value - least) / span) * (HEIGHT - 6)).toFixed(1)}`;
  });
  return (
    <svg role="img" aria-label={label} width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <polyline points={points.join(' ')} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
    </svg>
  );
}
