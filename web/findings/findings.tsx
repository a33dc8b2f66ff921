import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useFindingsFacets, useFindingsListByAsset } from '../../client/generated/findings/findings.ts';
import {
  type FacetValue,
  FindingFilterStatus,
  FindingKind,
  type FindingsListByAssetParams,
  Severity as SeverityValue,
} from '../../client/generated/service.schemas.ts';
import { useLandscapeTrends } from '../../client/generated/trends/trends.ts';
import { ToggleChip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Severity } from '../design/severity.tsx';
import { counted, offered } from '../shell/facets.ts';
import type { FindingSearch } from '../shell/routes.tsx';
import { member } from '../shell/search.ts';
import { useMe } from '../shell/session.ts';
import { FINDING_KINDS, FindingCard } from './finding-card.tsx';
import { SeverityOverTime } from './severity-over-time.tsx';

const STATUSES: Readonly<Record<FindingFilterStatus, string>> = {
  [FindingFilterStatus.open]: 'Open',
  [FindingFilterStatus.reopened]: 'Open again',
  [FindingFilterStatus.acknowledged]: 'Acknowledged',
  [FindingFilterStatus.resolved]: 'Resolved',
  [FindingFilterStatus.all]: 'All',
};
const LEVELS = [SeverityValue.critical, SeverityValue.high, SeverityValue.medium, SeverityValue.low];

const kept = <T extends object>(filter: T) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ''));

/** Findings, by the file that they are about, the worst first. */
export function Findings() {
  const search = useSearch({ from: '/shell/findings' });
  const status = member(FindingFilterStatus, search.status);
  const severity = member(SeverityValue, search.severity);
  const kind = member(FindingKind, search.kind);
  const among: FindingsListByAssetParams = kept({ status, domainId: search.domain });
  const findings = useFindingsListByAsset(kept({ ...among, severity, kind }), {
    query: { placeholderData: (before) => before },
  });
  const { capabilities } = useMe();
  const trends = useLandscapeTrends(
    { days: 30 },
    { query: { enabled: capabilities.includes('asset.metadata.read') } },
  );
  useEffect(() => {
    document.title = 'Findings · Governance';
  }, []);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className="page">
      <h1>Findings</h1>
      {trends.data !== undefined && trends.data.items.length > 0 && (
        <SeverityOverTime series={trends.data.items} />
      )}
      <Filters among={among} />
      {findings.isPending && <Skeleton lines={8} />}
      {findings.isError && <Failure error={findings.error} onRetry={() => void findings.refetch()} />}
      {findings.data?.items.length === 0 && (
        <Empty title={isFiltered ? 'No finding is so.' : 'Nothing is found that someone must do.'}>
          {isFiltered && (
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
              <span className="dim cut">{scopeName}</span>
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
        <p className="dim">The worst {findings.data.items.length} are listed. There are more.</p>
      )}
    </div>
  );
}

/** Filters with their counts, among the findings of the status and the domain. */
function Filters({ among }: { among: FindingsListByAssetParams }) {
  const search = useSearch({ from: '/shell/findings' });
  const navigate = useNavigate({ from: '/findings' });
  const facets = useFindingsFacets(among, { query: { placeholderData: (before) => before } });
  const change = (by: { [Name in keyof FindingSearch]?: string | undefined }) =>
    void navigate({ search: (before: FindingSearch) => kept({ ...before, ...by }) });
  const { severity = [], kind = [], domainId = [] } = facets.data?.facets ?? {};
  const isWhole = facets.data?.isExact === true;
  const countOf = (values: readonly FacetValue[], value: string) =>
    facets.data && counted(values.find((each) => each.value === value)?.count ?? 0, isWhole);
  return (
    <search className="stack">
      <fieldset className="row chips" aria-label="Status">
        <ToggleChip isOn={search.status === undefined} onChange={() => change({ status: undefined })}>
          Not resolved
        </ToggleChip>
        {Object.values(FindingFilterStatus).map((value) => (
          <ToggleChip key={value} isOn={search.status === value} onChange={() => change({ status: value })}>
            {STATUSES[value]}
          </ToggleChip>
        ))}
      </fieldset>
      <fieldset className="row chips" aria-label="Severity">
        {LEVELS.map((value) => (
          <ToggleChip
            key={value}
            isOn={search.severity === value}
            onChange={(isOn) => change({ severity: isOn ? value : undefined })}
          >
            {value.charAt(0).toUpperCase() + value.slice(1)} {countOf(severity, value)}
          </ToggleChip>
        ))}
      </fieldset>
      <fieldset className="row chips" aria-label="Kind">
        {offered(kind, member(FindingKind, search.kind)).map(({ value, count }) => (
          <ToggleChip
            key={value}
            isOn={search.kind === value}
            onChange={(isOn) => change({ kind: isOn ? value : undefined })}
          >
            {FINDING_KINDS[value as FindingKind]} {counted(count, isWhole)}
          </ToggleChip>
        ))}
      </fieldset>
      {(domainId.length > 1 || search.domain !== undefined) && (
        <label className="field findings-domain">
          <span className="dim">Domain</span>
          <select
            className="input"
            value={search.domain ?? ''}
            onChange={({ target }) => change({ domain: target.value })}
          >
            <option value="">All</option>
            {offered(domainId, search.domain).map(({ value, name, count }) => (
              <option key={value} value={value}>
                {name ?? 'The chosen domain'} ({counted(count, isWhole)})
              </option>
            ))}
          </select>
        </label>
      )}
    </search>
  );
}
