import { Link } from '@tanstack/react-router';
import { useAssetsConnections, useAssetsSemanticNeighbors } from '../../client/generated/assets/assets.ts';
import type { AssetConnections, AssetDetail } from '../../client/generated/service.schemas.ts';
import { Chip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Skeleton } from '../design/notice.tsx';
import { LIKENESS_NAMES } from '../shell/labels.ts';
import { part } from '../shell/part.tsx';

const ConnectionGraph = part(
  async () => (await import('./connection-graph.tsx')).ConnectionGraph,
  <div className="graph-room" />,
);

/** So many rows are short enough to be open beside the picture. */
const FEW = 8;

/** Copies, files of the same template and the like: counted, as a picture, and as a table. */
export function Connections({ asset: { assetId, clusters } }: { asset: AssetDetail }) {
  const connections = useAssetsConnections(assetId);
  if (connections.isPending) return <Skeleton />;
  if (connections.data === undefined) {
    return <Failure error={connections.error} onRetry={() => void connections.refetch()} />;
  }
  const others = connections.data.nodes.filter(({ depth }) => depth > 0);
  if (others.length === 0) return <p className="dim">No copy and nothing like it is known.</p>;
  return (
    <>
      {clusters.length > 0 && (
        <ul className="row" aria-label="Copies and templates">
          {clusters.map(({ kind, assets }) => (
            <li key={kind}>
              <Chip>
                {assets.truncated ? 'more than ' : ''}
                {assets.items.length}: {LIKENESS_NAMES[kind]}
              </Chip>
            </li>
          ))}
        </ul>
      )}
      <ConnectionGraph key={assetId} connections={connections.data} />
      <details open={others.length <= FEW}>
        <summary>As a table ({others.length})</summary>
        <Table connections={connections.data} />
      </details>
      {connections.data.truncated && <p className="dim">There are more. The nearest 30 are shown.</p>}
    </>
  );
}

function Table({ connections: { nodes, edges } }: { connections: AssetConnections }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Why</th>
          <th scope="col" className="num">
            Alike
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ nodeId, label, redacted, assetId, scopeName, path, depth }) => {
          if (depth === 0) return null;
          const edge = edges.find(({ to, from }) => to === nodeId || from === nodeId);
          return (
            <tr key={nodeId}>
              <td>
                {assetId === null || redacted ? (
                  <span className="redacted">{label}</span>
                ) : (
                  <Link to="/assets/$assetId" params={{ assetId }} dir="auto">
                    {label}
                  </Link>
                )}
                <div className="dim">{redacted ? 'of another domain' : `${scopeName} / ${path}`}</div>
              </td>
              <td>
                {edge === undefined ? '' : LIKENESS_NAMES[edge.reason]}
                {depth > 1 && <span className="dim"> by way of another</span>}
              </td>
              <td className="num">
                {edge?.similarity == null ? '' : `${Math.round(edge.similarity * 100)} %`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The files that are nearest in meaning, whatever their words and bytes. */
export function Neighbours({ assetId }: { assetId: string }) {
  const neighbours = useAssetsSemanticNeighbors(assetId);
  if (neighbours.isPending) return <Skeleton />;
  if (neighbours.data === undefined) {
    return <Failure error={neighbours.error} onRetry={() => void neighbours.refetch()} />;
  }
  if (neighbours.data.items.length === 0) {
    return <p className="dim">Nothing that you may see is near in meaning.</p>;
  }
  return (
    <ul className="stack">
      {neighbours.data.items.map(({ assetId: id, name, scopeName, path, similarity }) => (
        <li key={id}>
          <Link to="/assets/$assetId" params={{ assetId: id }} dir="auto">
            {name}
          </Link>
          <div className="dim">
            {Math.round(similarity * 100)} % · {scopeName} / {path}
          </div>
        </li>
      ))}
    </ul>
  );
}
