import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getExportsAssetsUrl } from '../../client/generated/exports/exports.ts';
import {
  type AssetSummary,
  type AssetsFacetsAnswerFacets,
  AssetsListSort,
  type FacetValue,
} from '../../client/generated/service.schemas.ts';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { counted, offered } from '../shell/facets.ts';
import { useKeys } from '../shell/keys.ts';
import { CONTENT_NAMES, EXPOSURE_NAMES, LABEL_NAMES } from '../shell/labels.ts';
import type { AssetSearch } from '../shell/routes.tsx';
import { useRows } from '../shell/rows.ts';
import { useTyped } from '../shell/typed.ts';
import { AssetRows } from './asset-rows.tsx';
import './assets.css';
import { ColumnChoice, useColumns } from './columns.tsx';
import { assetFilter, facetsQuery, listParams, listQuery } from './list-query.ts';
import { SavedViews } from './saved-views.tsx';

const NONE: readonly AssetSummary[] = [];

export function AssetList() {
  const search = useSearch({ from: '/shell/assets' });
  const navigate = useNavigate({ from: '/assets' });
  const list = useQuery({ ...listQuery(search), placeholderData: (before) => before });
  const facets = useQuery({ ...facetsQuery(search), placeholderData: (before) => before });
  const items = list.data?.items;
  const rows = useRows(
    items ?? NONE,
    JSON.stringify(listParams(search)),
    list.isSuccess && !list.isPlaceholderData,
  );
  const change = (by: AssetSearch) =>
    void navigate({
      search: (before: AssetSearch) =>
        Object.fromEntries(Object.entries({ ...before, ...by }).filter(([, value]) => value !== '')),
      // Typing and columns do not fill the history.
      replace: 'q' in by || 'columns' in by,
    });
  useKeys({ '/': () => document.getElementById('asset-search')?.focus() });
  useEffect(() => {
    document.title = 'Assets · Governance';
  }, []);
  const columns = useColumns(search.columns);
  return (
    <div className="page">
      <div className="row">
        <h1 className="grow">Assets</h1>
        {list.data !== undefined && (
          <span className="dim">
            {list.data.totalIsExact ? '' : 'more than '}
            {list.data.total.toLocaleString()}
          </span>
        )}
        <a className="button" href={getExportsAssetsUrl({ ...assetFilter(search), format: 'csv' })} download>
          Export as CSV
        </a>
      </div>
      <search className="stack">
        <SavedViews search={search} />
        <Search value={search.q ?? ''} onChange={(q) => change({ q })} />
        <details className="asset-choices" open={matchMedia('(min-width: 701px)').matches}>
          <summary>Filters and order</summary>
          <div className="asset-filters">
            {FILTERS.map(({ name, at, facet, names }) => (
              <Choice
                key={at}
                name={name}
                value={search[at]}
                options={facets.data?.facets[facet]}
                isWhole={facets.data?.isExact === true}
                names={names}
                onChange={(value) => change({ [at]: value })}
              />
            ))}
            <label className="field">
              <span className="dim">Order</span>
              <select
                className="input"
                disabled={search.q !== undefined}
                value={search.q === undefined ? (search.sort ?? '-changed') : ''}
                onChange={({ target }) => change({ sort: target.value })}
              >
                {search.q !== undefined && <option value="">Best match</option>}
                {Object.values(AssetsListSort).map((each) => (
                  <option key={each} value={each}>
                    {ORDERS[each]}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </details>
        <ColumnChoice columns={columns} onChange={(chosen) => change({ columns: chosen })} />
      </search>
      {list.isPending && <Skeleton lines={8} />}
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.items.length === 0 && (
        <Empty title="Nothing is like this.">
          <Link className="button" to="/assets" search={{}}>
            Show all assets
          </Link>
        </Empty>
      )}
      {list.data !== undefined && list.data.items.length > 0 && (
        <>
          <div className="scrolls">
            <AssetRows items={rows} columns={columns} />
          </div>
          {list.data.truncated && (
            <p className="dim">
              The first {list.data.items.length} are listed. Narrow the list to see others.
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** The filters in the order of the page: where the address and the counts have them, and what their values are called. */
const FILTERS: readonly {
  name: string;
  at: keyof AssetSearch;
  facet: keyof AssetsFacetsAnswerFacets;
  names: Names;
}[] = [
  { name: 'Domain', at: 'domain', facet: 'domainId', names: 'ids' },
  { name: 'Type', at: 'type', facet: 'informationTypeId', names: 'ids' },
  { name: 'Risk', at: 'severity', facet: 'riskSeverity', names: {} },
  { name: 'Label', at: 'label', facet: 'labelState', names: LABEL_NAMES },
  { name: 'Open to', at: 'exposure', facet: 'exposure', names: EXPOSURE_NAMES },
  { name: 'Place', at: 'scope', facet: 'scopeId', names: 'ids' },
  { name: 'Format', at: 'format', facet: 'fileFormat', names: {} },
  { name: 'Content', at: 'content', facet: 'contentState', names: CONTENT_NAMES },
];

const ORDERS: Readonly<Record<AssetsListSort, string>> = {
  '-changed': 'Changed last',
  changed: 'Changed first',
  '-risk': 'Most risk',
  name: 'Name',
  '-name': 'Name, from Z',
  '-size': 'Largest',
  size: 'Smallest',
};

function Search({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useTyped(value, onChange);
  return (
    <label className="field asset-search">
      <span className="dim">Search</span>
      <input
        id="asset-search"
        className="input"
        type="search"
        aria-keyshortcuts="/"
        placeholder="Names, folders and words of the text"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
    </label>
  );
}

/** What the choices of a filter are called. An id has no name where the service counts none of it. */
type Names = Readonly<Record<string, string>> | 'ids';

function Choice({
  name,
  value,
  options,
  isWhole,
  names,
  onChange,
}: {
  name: string;
  value: string | undefined;
  options: readonly FacetValue[] | undefined;
  isWhole: boolean;
  names: Names;
  onChange: (value: string) => void;
}) {
  const nameOf = (each: string) =>
    names === 'ids' ? `The chosen ${name.toLowerCase()}` : (names[each] ?? each);
  return (
    <label className="field">
      <span className="dim">{name}</span>
      <select
        className="input"
        value={value ?? ''}
        data-set={value !== undefined}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">All</option>
        {offered(options, value).map((each) => (
          <option key={each.value} value={each.value}>
            {each.name ?? nameOf(each.value)} ({counted(each.count, isWhole)})
          </option>
        ))}
      </select>
    </label>
  );
}
