import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useAssetsGet } from '../../client/generated/assets/assets.ts';
import type { AssetDetail } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { Button } from '../design/button.tsx';
import { bytes } from '../design/bytes.ts';
import { Chip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Severity } from '../design/severity.tsx';
import { Time } from '../design/time.tsx';
import { FindingCard } from '../findings/finding-card.tsx';
import { contentInWords, LABEL_NAMES, nounOf } from '../shell/labels.ts';
import { useMe } from '../shell/session.ts';
import './assets.css';
import { AtSource } from './at-source.tsx';
import { Connections, Neighbours } from './connections.tsx';
import { rowsRead, TableRead } from './table-read.tsx';
import { Versions } from './versions.tsx';

export function Asset() {
  const { assetId } = useParams({ from: '/shell/assets/$assetId' });
  const asset = useAssetsGet(assetId, { excerpts: 'none' });
  useEffect(() => {
    document.title = `${asset.data?.name ?? 'Asset'} · Governance`;
  }, [asset.data?.name]);
  if (asset.isPending) {
    return (
      <div className="page">
        <Skeleton lines={10} />
      </div>
    );
  }
  const { data } = asset;
  const isGone = isRefusal(asset.error, 'not_found');
  if (data === undefined || isGone) {
    return (
      <div className="page">
        <h1 className="only-read">Asset</h1>
        {isGone ? (
          <Empty title="This asset is not here any more, or you may not see it.">
            <Link className="button" to="/assets">
              Go to all assets
            </Link>
          </Empty>
        ) : (
          <Failure error={asset.error} onRetry={() => void asset.refetch()} />
        )}
      </div>
    );
  }
  return (
    <div className="page">
      {asset.isError && <Failure error={asset.error} onRetry={() => void asset.refetch()} />}
      <Head asset={data} />
      <div className="asset-columns">
        <div className="stack">
          <Part title="What to do">
            {data.findings.length === 0 ? (
              <p className="dim">Nothing is found that someone must do.</p>
            ) : (
              data.findings.map((finding) => <FindingCard key={finding.findingId} finding={finding} />)
            )}
          </Part>
          <Part title="What it is, and who said so">
            <Provenance asset={data} />
          </Part>
          <Part title="Connections">
            <Connections asset={data} />
          </Part>
          <Part title="Versions">
            <Versions asset={data} />
          </Part>
        </div>
        <div className="stack">
          <Part title="Who can open it">
            <Grants asset={data} />
          </Part>
          <Part title="Label">
            <p>
              {data.label.state === 'labeled' ? data.label.labelName : LABEL_NAMES[data.label.state]}
              {data.label.observedAt !== null && (
                <span className="dim">
                  {' '}
                  seen <Time at={data.label.observedAt} />
                </span>
              )}
            </p>
          </Part>
          <AtSource asset={data} />
          {data.table !== null && (
            <Part
              title={
                data.table.kind === 'view'
                  ? 'How much of the view was read'
                  : 'How much of the table was read'
              }
            >
              <TableRead table={data.table} />
            </Part>
          )}
          <Part title="Found in it">
            <Found asset={data} />
          </Part>
          <Part title="Excerpts">
            <Excerpts asset={data} />
          </Part>
          <Part title="Near in meaning">
            <Neighbours assetId={assetId} />
          </Part>
        </div>
      </div>
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="card stack" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

function Head({ asset }: { asset: AssetDetail }) {
  const { name, location, sizeBytes, sourceModifiedAt, modifiedBy, sourceUrl, table } = asset;
  const worst = asset.findings[0]?.severity;
  return (
    <div className="stack">
      <div className="row">
        {worst !== undefined && <Severity level={worst} />}
        {asset.contentState !== 'available' && <Chip tone="dashed">{contentInWords(asset)}</Chip>}
        {table !== null && <Chip>{table.kind === 'view' ? 'View' : 'Table'}</Chip>}
        <span className="dim">
          {location.scopeName} / {location.path}
          {table === null && ` · ${bytes(sizeBytes)}`}
          {table !== null && ` · ${rowsRead(table)}`}
          {sourceModifiedAt !== null && (
            <>
              {' '}
              · changed <Time at={sourceModifiedAt} />
            </>
          )}
          {modifiedBy !== null && ` by ${modifiedBy}`}
        </span>
      </div>
      <h1 dir="auto">{name}</h1>
      <div className="row">
        {asset.classifications.map(({ candidateId, domainName, informationTypeName, status }) => (
          <Chip key={candidateId} tone={status === 'confirmed' ? 'note' : 'dashed'}>
            {informationTypeName ?? 'No type'}, {domainName}
            {status === 'confirmed' ? '' : ': by the model'}
          </Chip>
        ))}
        {sourceUrl !== null && (
          <a href={sourceUrl} target="_blank" rel="noreferrer">
            Open the {nounOf(asset)} where it is
          </a>
        )}
      </div>
    </div>
  );
}

const STATEMENTS: Readonly<Record<string, string>> = {
  belongs_to: 'belongs to',
  does_not_belong_to: 'does not belong to',
  belongs_not_sensitive: 'belongs, not sensitive, to',
  needs_more_evidence: 'more evidence is needed for',
};

function Provenance({ asset: { provenance } }: { asset: AssetDetail }) {
  if (provenance.items.length === 0) return <p className="dim">Nobody has said anything of it yet.</p>;
  return (
    <ol className="timeline">
      {provenance.items.map((each) => (
        <li key={each.assertionId}>
          <span className="strong">
            {each.kind === 'inferred' ? 'The model' : (each.principalName ?? 'A colleague')}
          </span>
          {': '}
          {STATEMENTS[each.statement]} {each.domainName}
          {each.informationTypeName !== null && `, as ${each.informationTypeName}`}
          <div className="dim">
            {each.kind === 'inferred' &&
              each.confidence !== null &&
              `AI output, confidence ${each.confidence.toFixed(2)} · `}
            <Time at={each.createdAt} />
            {each.isAboutPresentContent === false && ' · about former content'}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Grants({ asset: { permissions } }: { asset: AssetDetail }) {
  const { items, truncated } = permissions.grants;
  return (
    <>
      {items.length === 0 ? (
        <p className="dim">No grant is known.</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Role</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ principal, principalKind, role, external, inherited, unconfirmed }) => (
              <tr key={`${principal} ${role} ${principalKind}`}>
                <td>
                  {principal} {external && <Chip tone="note">outside</Chip>}
                  {unconfirmed && <Chip tone="dashed">not confirmed</Chip>}
                </td>
                <td>
                  {role}
                  {inherited === true && <span className="dim"> inherited</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {truncated && <p className="dim">There are more.</p>}
      {!permissions.complete && <p className="dim">The source does not report every grant.</p>}
      <p className="dim">{permissions.caveat}</p>
    </>
  );
}

function Found({ asset: { signals } }: { asset: AssetDetail }) {
  if (signals.length === 0) return <p className="dim">No identifier was found.</p>;
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Identifier</th>
          <th scope="col" className="num">
            Sure
          </th>
          <th scope="col" className="num">
            Doubtful
          </th>
        </tr>
      </thead>
      <tbody>
        {signals.map(({ detectorId, title, sure, doubtful, byChance, columns }) => (
          <tr key={detectorId}>
            <td>
              {title}
              {columns !== null && <InColumns columns={columns} byChance={byChance} />}
            </td>
            <td className="num">{sure}</td>
            <td className="num">{doubtful}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SAID_BY: Readonly<Record<'name' | 'comment', string>> = {
  name: ', as its name says',
  comment: ', as its comment says',
};

/** Where in a table a kind was found. Each column is one piece of evidence. */
function InColumns({
  columns: { items, truncated },
  byChance,
}: {
  columns: NonNullable<AssetDetail['signals'][number]['columns']>;
  byChance: number | null;
}) {
  return (
    <ul className="dim">
      {items.map(({ column, passing, values, saidBy }) => (
        <li key={column}>
          <bdi className="strong">{column}</bdi>: {passing.toLocaleString()} of {values.toLocaleString()}{' '}
          values
          {saidBy !== null && SAID_BY[saidBy]}
        </li>
      ))}
      {truncated && <li>More columns hold some.</li>}
      {byChance !== null && (
        <li>Of random values, 1 in {Math.round(1 / byChance).toLocaleString()} would pass.</li>
      )}
    </ul>
  );
}

function Excerpts({ asset: { assetId, signals } }: { asset: AssetDetail }) {
  const { capabilities } = useMe();
  const [asked, setAsked] = useState<string | null>(null);
  const isAsked = asked === assetId;
  const read = useAssetsGet(
    assetId,
    { excerpts: 'all' },
    { query: { enabled: isAsked, staleTime: Infinity, meta: { isRecorded: true } } },
  );
  if (!capabilities.includes('asset.evidence.excerpt.read')) {
    return <p className="dim">You may not read excerpts.</p>;
  }
  if (!isAsked) {
    return (
      <>
        <p className="dim">Reading them is recorded in the audit trail.</p>
        <div>
          <Button onClick={() => setAsked(assetId)}>Read</Button>
        </div>
      </>
    );
  }
  if (read.isPending) return <Skeleton />;
  if (read.data === undefined) return <Failure error={read.error} onRetry={() => void read.refetch()} />;
  if (read.data.excerpts.length === 0) return <p className="dim">None is kept.</p>;
  return (
    <>
      {read.data.excerpts.map(({ detectorId, text, column, inside }) => (
        <figure key={`${detectorId} ${column ?? inside ?? ''} ${text}`}>
          <figcaption className="dim">
            {signals.find((each) => each.detectorId === detectorId)?.title ?? detectorId}
            {column !== undefined && (
              <>
                {' in column '}
                <bdi>{column}</bdi>
              </>
            )}
            {inside !== undefined && (
              <>
                {' in '}
                <bdi>{inside}</bdi>
              </>
            )}
          </figcaption>
          <blockquote className="excerpt" dir="auto">
            {text}
          </blockquote>
        </figure>
      ))}
    </>
  );
}
