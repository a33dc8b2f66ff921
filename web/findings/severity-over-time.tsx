import type { LandscapeTrendsItem, Severity as Level } from '../../client/generated/service.schemas.ts';
import { Severity } from '../design/severity.tsx';
import './findings.css';

/** From the worst, which is drawn at the bottom, where sizes are compared best. */
const LEVELS: readonly Level[] = ['critical', 'high', 'medium', 'low'];
const DAY_MS = 24 * 3_600_000;
const DAYS = 30;
const HEIGHT = 64;
const SLOT = 20;
const GAP = 4;

type Day = { day: string; counts: Readonly<Record<Level, number>> };

/** Of whoever sees the tenant: its series. Of others: the sum over their domains. */
function daysOf(series: readonly LandscapeTrendsItem[]): Day[] {
  const shown = series.some(({ domainId }) => domainId === null)
    ? series.filter(({ domainId }) => domainId === null)
    : series;
  const days = new Map<string, Record<Level, number>>();
  for (const { day, openFindingsBySeverity } of shown.flatMap(({ points }) => points)) {
    const counts = days.get(day) ?? { critical: 0, high: 0, medium: 0, low: 0 };
    for (const level of LEVELS) counts[level] += openFindingsBySeverity[level];
    days.set(day, counts);
  }
  return [...days].map(([day, counts]) => ({ day, counts })).sort((a, b) => a.day.localeCompare(b.day));
}

/** Findings that are not resolved, for each of the last 30 days, as a picture and as a table. */
export function SeverityOverTime({ series }: { series: readonly LandscapeTrendsItem[] }) {
  const days = daysOf(series);
  const [first, last] = [days[0], days.at(-1)];
  const isSeries = first !== undefined && last !== undefined && first !== last;
  const isSum = series.length > 1 && series.every(({ domainId }) => domainId !== null);
  return (
    <section className="card stack" aria-labelledby="severities">
      <div className="row">
        <h2 id="severities" className="grow">
          Open findings, 30 days
        </h2>
        {isSeries && (
          <ul className="row" aria-label="Now">
            {LEVELS.map((level) => (
              <li key={level} className="row severity-now">
                <Severity level={level} count={last.counts[level]} />
                <span className="dim">{difference(last.counts[level] - first.counts[level])}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {!isSeries ? (
        <p className="dim">They are counted every day. The picture begins tomorrow.</p>
      ) : (
        <>
          <Picture days={days} last={last} />
          <details>
            <summary>As a table</summary>
            <Table days={days} />
          </details>
        </>
      )}
      {isSum && <p className="dim">What is in two domains counts in each.</p>}
    </section>
  );
}

const difference = (by: number): string =>
  by === 0 ? 'as before' : by > 0 ? `${by.toLocaleString()} more` : `${(-by).toLocaleString()} fewer`;

const total = ({ counts }: Day): number => LEVELS.reduce((sum, level) => sum + counts[level], 0);

/** A column for each day. A day that was not counted is left free. */
function Picture({ days, last }: { days: readonly Day[]; last: Day }) {
  const most = Math.max(1, ...days.map(total));
  const end = Date.parse(last.day);
  return (
    <div>
      <svg
        className="severity-days"
        role="img"
        aria-label="Open findings by day and severity. The table has the numbers."
        viewBox={`0 0 ${DAYS * SLOT} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map((each) => {
          const x = (DAYS - 1 - (end - Date.parse(each.day)) / DAY_MS) * SLOT;
          let y = HEIGHT;
          return (
            <g key={each.day}>
              <title>{`${shownDay(each.day)}: ${inWords(each)}`}</title>
              {LEVELS.map((level) => {
                const height = (each.counts[level] / most) * (HEIGHT - 2);
                y -= height;
                return (
                  <rect
                    key={level}
                    data-level={level}
                    x={x}
                    y={y}
                    width={SLOT - GAP}
                    height={Math.max(0, height - (height > 3 ? 1 : 0))}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <p className="row dim severity-ends">
        <span>{shownDay(new Date(end - (DAYS - 1) * DAY_MS).toISOString())}</span>
        <span>{shownDay(last.day)}</span>
      </p>
    </div>
  );
}

const shownDay = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const inWords = (day: Day): string =>
  LEVELS.filter((level) => day.counts[level] > 0)
    .map((level) => `${day.counts[level]} ${level}`)
    .join(', ') || 'none';

const Table = ({ days }: { days: readonly Day[] }) => (
  <div className="scrolls">
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Day</th>
          {LEVELS.map((level) => (
            <th scope="col" className="num" key={level}>
              {level.charAt(0).toUpperCase() + level.slice(1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, counts }) => (
          <tr key={day}>
            <th scope="row">{shownDay(day)}</th>
            {LEVELS.map((level) => (
              <td className="num" key={level}>
                {counts[level]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
