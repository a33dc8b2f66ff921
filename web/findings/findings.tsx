import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useFindingsListByAsset } from '../../client/generated/findings/findings.ts';
import { FindingFilterStatus } from '../../client/generated/service.schemas.ts';
import { ToggleChip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Severity, type SeverityLevel } from '../design/severity.tsx';
import { FindingCard } from './finding-card.tsx';

const STATUSES = [
  [undefined, 'Not resolved'],
  [FindingFilterStatus.open, 'Open'],
  [FindingFilterStatus.reopened, 'Open again'],
  [FindingFilterStatus.acknowledged, 'Acknowledged'],
  [FindingFilterStatus.resolved, 'Resolved'],
] as const;

const LEVELS: readonly SeverityLevel[] = ['critical', 'high', 'medium', 'low'];

/** Findings, by the file that they are about, the worst first. */
export function Findings() {
  const search = useSearch({ from: '/shell/findings' });
  const navigate = useNavigate({ from: '/findings' });
  const status = STATUSES.find(([value]) => value === search.status)?.[0];
  const findings = useFindingsListByAsset(status === undefined ? {} : { status });
  useEffect(() => {
    document.title = 'Findings · Governance';
  }, []);
  return (
    <div className="page">
      <h1>Findings</h1>
      <fieldset className="row chips" aria-label="Status">
        {STATUSES.map(([value, name]) => (
          <ToggleChip
            key={name}
            isOn={value === status}
            onChange={() => void navigate({ search: value === undefined ? {} : { status: value } })}
          >
            {name}
          </ToggleChip>
        ))}
      </fieldset>
      {findings.isPending && <Skeleton lines={8} />}
      {findings.isError && <Failure error={findings.error} onRetry={() => void findings.refetch()} />}
      {findings.data?.items.length === 0 && (
        <Empty title={status === undefined ? 'Nothing is found that someone must do.' : 'No finding is so.'}>
          {status !== undefined && (
            <Link className="button" to="/findings" search={{}}>
              Show all that are not resolved
            </Link>
          )}
        </Empty>
      )}
      <ul className="stack">
        {findings.data?.items.map(({ assetId, assetName, scopeName, counts, findings: own }) => (
          <li key={assetId} className="card stack">
            <div className="row">
              <h2 className="title">
                <Link to="/assets/$assetId" params={{ assetId }} dir="auto">
                  {assetName}
                </Link>
              </h2>
              <span className="dim">{scopeName}</span>
              {LEVELS.filter((level) => counts[level] > 0).map((level) => (
                <Severity key={level} level={level} count={counts[level]} />
              ))}
            </div>
            {own.map((finding) => (
              <FindingCard key={finding.findingId} finding={finding} />
            ))}
          </li>
        ))}
      </ul>
      {findings.data?.truncated === true && (
        <p className="dim">The worst {findings.data.items.length} files are listed. There are more.</p>
      )}
    </div>
  );
}
