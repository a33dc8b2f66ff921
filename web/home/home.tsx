import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useHomeShow } from '../../client/generated/home/home.ts';
import type { Home as HomeAnswer, LandscapeTrendsItem } from '../../client/generated/service.schemas.ts';
import { useLandscapeTrends } from '../../client/generated/trends/trends.ts';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { Severity } from '../design/severity.tsx';
import { Sparkline } from '../design/sparkline.tsx';
import { Time } from '../design/time.tsx';
import { useMe } from '../shell/session.ts';
import './home.css';

/** What waits for a person, and what they cannot see. */
export function Home() {
  const { displayName, capabilities } = useMe();
  const home = useHomeShow();
  const trends = useLandscapeTrends(
    { days: 30 },
    { query: { enabled: capabilities.includes('asset.metadata.read') } },
  );
  useEffect(() => {
    document.title = 'Home · Governance';
  }, []);
  return (
    <div className="page">
      <h1>
        {greeting(new Date().getHours())}, {displayName.split(' ')[0]}
      </h1>
      {home.isPending && <Skeleton lines={6} />}
      {home.isError && <Failure error={home.error} onRetry={() => void home.refetch()} />}
      {home.data !== undefined && <Waiting home={home.data} trends={trends.data?.items ?? []} />}
    </div>
  );
}

const greeting = (hour: number): string =>
  hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';

function Waiting({ home, trends }: { home: HomeAnswer; trends: readonly LandscapeTrendsItem[] }) {
  const { capabilities } = useMe();
  const reviews = capabilities.includes('review.read');
  return (
    <>
      {home.domains.length > 0 && <Numbers domains={home.domains} reviews={reviews} />}
      <div className="home-columns">
        {home.domains.length > 0 ? (
          <Domains domains={home.domains} trends={trends} reviews={reviews} />
        ) : (
          <NoDomains home={home} />
        )}
        <div className="stack">
          <Duties home={home} />
          {home.scopes !== undefined && <Unseen home={home} />}
        </div>
      </div>
    </>
  );
}

type Domains = HomeAnswer['domains'];
const sum = (domains: Domains, of: (domain: Domains[number]) => number): number =>
  domains.reduce((total, each) => total + of(each), 0);

function Numbers({ domains, reviews }: { domains: Domains; reviews: boolean }) {
  const pending = sum(domains, (each) => each.pendingReviews);
  const unlabelled = domains.some(({ unlabeled }) => unlabeled !== null)
    ? sum(domains, (each) => each.unlabeled ?? 0)
    : null;
  const unknown = sum(domains, (each) => each.labelUnknown);
  const assets = sum(domains, (each) => each.assets);
  return (
    <ul className="tiles" aria-label="In your domains">
      <Tile name="Waiting for you" value={pending}>
        {pending === 0 ? 'Nothing is asked' : reviews && <Link to="/review">Answer the first</Link>}
      </Tile>
      <Tile name="Open findings" value={sum(domains, (each) => each.openFindings)}>
        <Link to="/findings">See what to do</Link>
      </Tile>
      <Tile name="Without a label" value={unlabelled}>
        <Link to="/assets" search={{ label: 'unlabeled' }}>
          of {assets} files
        </Link>
        {unknown > 0 && `, ${unknown} not readable here`}
      </Tile>
      <Tile name="Changed in 7 days" value={sum(domains, (each) => each.changedLast7Days)}>
        of {assets} files
      </Tile>
    </ul>
  );
}

const Tile = ({ name, value, children }: { name: string; value: number | null; children: ReactNode }) => (
  <li className="card tile">
    <h2 className="tile-name">{name}</h2>
    <p className="big">{value === null ? 'Not known' : value.toLocaleString()}</p>
    <p className="dim">{children}</p>
  </li>
);

function Domains({
  domains,
  trends,
  reviews,
}: {
  domains: Domains;
  trends: readonly LandscapeTrendsItem[];
  reviews: boolean;
}) {
  return (
    <section className="card stack" aria-labelledby="domains">
      <h2 id="domains">Your domains</h2>
      <table className="table cards">
        <thead>
          <tr>
            <th scope="col">Domain</th>
            <th scope="col" className="num">
              Files
            </th>
            <th scope="col" className="num">
              Waiting
            </th>
            <th scope="col" className="num">
              Findings
            </th>
            <th scope="col">Attested</th>
            <th scope="col">Open questions, 30 days</th>
          </tr>
        </thead>
        <tbody>
          {domains.map((domain) => (
            <tr key={domain.domainId}>
              <th scope="row">{domain.domainName}</th>
              <td className="num" data-name="Files">
                {domain.assets}
              </td>
              <td className="num" data-name="Waiting">
                {reviews && domain.pendingReviews > 0 ? (
                  <Link to="/review" search={{ domain: domain.domainId }}>
                    {domain.pendingReviews}
                  </Link>
                ) : (
                  domain.pendingReviews
                )}
              </td>
              <td className="num" data-name="Findings">
                {domain.openFindings}
              </td>
              <td data-name="Attested">
                {domain.assignments.map(({ assignmentId, attestation }) => (
                  <Attested key={assignmentId} attestation={attestation} />
                ))}
              </td>
              <td data-name="Open questions, 30 days">
                <Trend series={trends.find(({ domainId }) => domainId === domain.domainId)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Trend({ series }: { series: LandscapeTrendsItem | undefined }) {
  const values = (series?.points ?? []).map(({ openQuestions }) => openQuestions);
  const [first, last] = [values[0], values.at(-1)];
  if (values.length < 2 || first === undefined || last === undefined) {
    return <span className="dim">from tomorrow on</span>;
  }
  return <Sparkline values={values} label={`From ${first} to ${last} in ${values.length} days`} />;
}

type Attestation = Domains[number]['assignments'][number]['attestation'];

function Attested({ attestation: { state, dueAt } }: { attestation: Attestation }) {
  if (state === 'not_required' || dueAt === null) return <span className="dim">not required</span>;
  if (state === 'overdue') {
    return (
      <span className="row">
        <Severity level="medium" />
        <span>
          was due <Time at={dueAt} />
        </span>
      </span>
    );
  }
  return (
    <span>
      {state === 'due' ? 'due ' : 'until '}
      <Time at={dueAt} />
    </span>
  );
}

const NoDomains = ({ home }: { home: HomeAnswer }) => (
  <section className="card">
    <Empty title="You own no domain.">
      <p>
        {home.pendingApprovals !== undefined || home.scopes !== undefined || home.draftTaxonomy !== undefined
          ? 'What waits for you in your other roles is beside this.'
          : 'Questions come to owners. Who governs the taxonomy can make you one.'}
      </p>
    </Empty>
  </section>
);

const WAIT_FOR_APPROVAL = 'actions wait for an approval';

/** What waits in roles other than that of an owner. */
function Duties({ home: { pendingApprovals, draftTaxonomy, withoutOwner, nobodys } }: { home: HomeAnswer }) {
  const rows = [
    pendingApprovals && ([pendingApprovals.count, WAIT_FOR_APPROVAL] as const),
    draftTaxonomy && ([draftTaxonomy.domains, 'domains are drafts'] as const),
    draftTaxonomy && ([draftTaxonomy.informationTypes, 'information types are drafts'] as const),
    draftTaxonomy && ([draftTaxonomy.regulatoryMappings, 'mappings are drafts'] as const),
    withoutOwner && ([withoutOwner.items.length, 'domains have no owner who could act'] as const),
    nobodys && ([nobodys.items.length, 'files are nobody’s: all domains have refused them'] as const),
  ].filter((each) => each !== undefined);
  if (rows.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="duties">
      <h2 id="duties">What waits</h2>
      <table className="table">
        <tbody>
          {rows.map(([count, what]) => (
            <tr key={what}>
              <td className="num duty">{count}</td>
              <td>
                {what === WAIT_FOR_APPROVAL && count > 0 ? (
                  <Link to="/actions" search={{ mine: 'to_approve' }}>
                    {what}
                  </Link>
                ) : (
                  what
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Said where the numbers stand: what they leave out. */
function Unseen({ home }: { home: HomeAnswer }) {
  const scopes = home.scopes?.items ?? [];
  const problems = scopes.flatMap(({ scopeId, name, selected, mode, coverageState, inaccessible }) => {
    const what =
      inaccessible !== null
        ? 'access was denied'
        : mode === 'blocked'
          ? 'not configured to be read'
          : !selected
            ? 'not selected'
            : coverageState === null
              ? 'never read'
              : coverageState === 'stale'
                ? 'read too long ago'
                : null;
    return what === null ? [] : [{ scopeId, name, what }];
  });
  return (
    <section className="card stack" aria-labelledby="unseen">
      <h2 id="unseen">What we cannot see</h2>
      {problems.length === 0 ? (
        <p className="dim">
          {scopes.length === 0
            ? 'No place that you may see is connected.'
            : `All ${scopes.length} places that you may see are read.`}
        </p>
      ) : (
        <table className="table">
          <tbody>
            {problems.map(({ scopeId, name, what }) => (
              <tr key={scopeId}>
                <td>{name}</td>
                <td className="dim">{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
