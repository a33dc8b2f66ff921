import { Link } from '@tanstack/react-router';
import { useAssetsFacets } from '../../client/generated/assets/assets.ts';
import {
  ContentState,
  type Home,
  type Scope,
  type ScopeRefusal,
} from '../../client/generated/service.schemas.ts';
import { Failure } from '../design/failure.tsx';
import { Skeleton } from '../design/notice.tsx';
import { counted } from '../shell/facets.ts';
import { CONTENT_NAMES } from '../shell/labels.ts';
import { member } from '../shell/search.ts';
import { useMe } from '../shell/session.ts';
import { placesInWords } from './places.ts';

/** Said where the numbers are: what they leave out. */
export function Unseen({ home }: { home: Home }) {
  const { capabilities } = useMe();
  const readsAssets = capabilities.includes('asset.metadata.read');
  const facets = useAssetsFacets({}, { query: { enabled: readsAssets } });
  const files = (facets.data?.facets.contentState ?? []).filter(
    ({ value }) => value !== ContentState.available,
  );
  const scopes = home.scopes?.items ?? [];
  const places = scopes.flatMap((scope) => {
    const what = problemOf(scope);
    return what === null ? [] : [{ ...scope, what }];
  });
  if (!readsAssets && home.scopes === undefined) return null;
  return (
    <section className="card stack" aria-labelledby="unseen">
      <h2 id="unseen">What we cannot see</h2>
      {(files.length > 0 || places.length > 0) && (
        <table className="table">
          <tbody>
            {files.map(({ value, count }) => (
              <tr key={value}>
                <td>
                  <Link to="/assets" search={{ content: value }}>
                    {counted(count, facets.data?.isExact === true)} {count === 1 ? 'asset' : 'assets'}
                  </Link>
                </td>
                <td className="dim">{contentNameOf(value)}</td>
              </tr>
            ))}
            {places.map(({ scopeId, name, what }) => (
              <tr key={scopeId}>
                <td dir="auto">{name}</td>
                <td className="dim">{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {facets.isLoading && <Skeleton lines={1} />}
      {facets.isError && <Failure error={facets.error} onRetry={() => void facets.refetch()} />}
      {home.scopes !== undefined && <p className="dim">{placesInWords(home.scopes, places.length)}</p>}
      {home.scopes === undefined && facets.data !== undefined && files.length === 0 && (
        <p className="dim">
          {facets.data.isExact
            ? 'Nothing that you may see is left out.'
            : `Of the ${facets.data.counted.toLocaleString()} newest that you may see, nothing is left out.`}
        </p>
      )}
    </section>
  );
}

/** A state of a newer service has its id alone. */
function contentNameOf(value: string): string {
  const state = member(ContentState, value);
  return state === undefined ? value : CONTENT_NAMES[state];
}

/** Why the source refuses a place. A share that is down is no refusal of access. */
const REFUSALS: Readonly<Record<ScopeRefusal, string>> = {
  not_found: 'not found at the source',
  malformed_id: 'not found at the source',
  denied: 'access was denied',
  locked: 'locked or archived at the source',
  unreachable: 'cannot be reached at present',
};

function problemOf({ inaccessible, mode, selected, coverageState }: Scope): string | null {
  if (inaccessible !== null) return REFUSALS[inaccessible.reason];
  if (mode === 'blocked') return 'not configured to be read';
  if (!selected) return 'not selected';
  if (coverageState === null) return 'never read';
  return coverageState === 'stale' ? 'read too long ago' : null;
}
