import { Link } from '@tanstack/react-router';
import { useAssetsFacets } from '../../client/generated/assets/assets.ts';
import { ContentState, type Home, type Scope } from '../../client/generated/service.schemas.ts';
import { CONTENT_NAMES } from '../shell/labels.ts';
import { useMe } from '../shell/session.ts';

/** Said where the numbers are: what they leave out. */
export function Unseen({ home }: { home: Home }) {
  const { capabilities } = useMe();
  const facets = useAssetsFacets({}, { query: { enabled: capabilities.includes('asset.metadata.read') } });
  const files = (facets.data?.facets.contentState ?? []).filter(
    ({ value }) => value !== ContentState.available,
  );
  const scopes = home.scopes?.items ?? [];
  const places = scopes.flatMap((scope) => {
    const what = problemOf(scope);
    return what === null ? [] : [{ ...scope, what }];
  });
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
                    {facets.data?.isExact === false && 'at least '}
                    {count.toLocaleString()} {count === 1 ? 'file' : 'files'}
                  </Link>
                </td>
                <td className="dim">{CONTENT_NAMES[value]}</td>
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
      {home.scopes !== undefined && places.length === 0 && (
        <p className="dim">
          {scopes.length === 0
            ? 'No place that you may see is connected.'
            : `All ${scopes.length} places that you may see are read.`}
        </p>
      )}
      {home.scopes === undefined && files.length === 0 && (
        <p className="dim">No file that you may see is left out.</p>
      )}
    </section>
  );
}

function problemOf({ inaccessible, mode, selected, coverageState }: Scope): string | null {
  if (inaccessible !== null) return 'access was denied';
  if (mode === 'blocked') return 'not configured to be read';
  if (!selected) return 'not selected';
  if (coverageState === null) return 'never read';
  return coverageState === 'stale' ? 'read too long ago' : null;
}
