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
import { SeverityOverTime } from '../findings/severity-over-time.tsx';
import { counted } from '../shell/facets.ts';
import { useMe } from '../shell/session.ts';
import './home.css';
import { Unseen } from './unseen.tsx';

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
      {home.domains.length > 0 && <Numbers domains={home.domains} trends={trends} reviews={reviews} />}
      <div className="home-columns">
        <div className="stack">
          {home.domains.length > 0 ? (
            <Domains domains={home.domains} trends={trends} reviews={reviews} />
          ) : (
            <NoDomains home={home} />
          )}
          {trends.length > 0 && <SeverityOverTime series={trends} />}
        </div>
        <div className="stack">
          <Duties home={home} />
          <Unseen home={home} />
        </div>
      </div>
    </>
  );
}

type Domains = HomeAnswer['domains'];
const sum = (domains: Domains, of: (domain: Domains[number]) => number): number =>
  domains.reduce((total, each) => total + of(each), 0);

const WEEK_MS = 7 * 24 * 3_600_000;

/** By how many the files have grown that people can open who are not named. Null if a week ago nothing was counted. */
function moreOpen(domains: Domains, trends: readonly LandscapeTrendsItem[]): number | null {
  const before = new Date(Date.now() - WEEK_MS).toISOString().slice(0, 10);
  const grown = domains.map(({ domainId }) => {
    const points = trends.find((each) => each.domainId === domainId)?.points ?? [];
    const then = points.findLast(({ day }) => day <= before)?.exposed;
    const now = points.at(-1)?.exposed;
    return then === undefined || now === undefined ? null : now - then;
  });
  return grown.reduce((all, each) => (all === null || each === null ? null : all + each), 0);
}

function openInWords(more: number | null): string {
  if (more === null) return '';
  if (more === 0) return '. As many as before can be opened by people who are not named';
  const by = `${Math.abs(more).toLocaleString()} ${more > 0 ? 'more' : 'fewer'}`;
  return `. ${by} than before can be opened by people who are not named`;
}

function Numbers({
  domains,
  trends,
  reviews,
}: {
  domains: Domains;
  trends: readonly LandscapeTrendsItem[];
  reviews: boolean;
}) {
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
          of {assets} assets
        </Link>
        {unknown > 0 && `, ${unknown} not readable here`}
      </Tile>
      <Tile name="Changed in 7 days" value={sum(domains, (each) => each.changedLast7Days)}>
        of {assets} assets{openInWords(moreOpen(domains, trends))}
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
              Assets
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
              <th scope="row">
                <Link to="/assets" search={{ domain: domain.domainId }} dir="auto">
                  {domain.domainName}
                </Link>
              </th>
              <td className="num" data-name="Assets">
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
                {domain.openFindings > 0 ? (
                  <Link to="/findings" search={{ domain: domain.domainId }}>
                    {domain.openFindings}
                  </Link>
                ) : (
                  0
                )}
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

/** How many a list has, and whether these are all. */
const lengthOf = ({ items, truncated }: { items: readonly unknown[]; truncated: boolean }) =>
  [items.length, !truncated] as const;

/** What waits in roles other than that of an owner. */
function Duties({ home: { pendingApprovals, draftTaxonomy, withoutOwner, nobodys } }: { home: HomeAnswer }) {
  const rows = [
    pendingApprovals && ([pendingApprovals.count, true, WAIT_FOR_APPROVAL] as const),
    draftTaxonomy && ([draftTaxonomy.domains, true, 'domains are drafts'] as const),
    draftTaxonomy && ([draftTaxonomy.informationTypes, true, 'information types are drafts'] as const),
    draftTaxonomy && ([draftTaxonomy.regulatoryMappings, true, 'mappings are drafts'] as const),
    withoutOwner && ([...lengthOf(withoutOwner), 'domains have no owner who could act'] as const),
    nobodys && ([...lengthOf(nobodys), 'assets are nobody’s: all domains have refused them'] as const),
  ].filter((each) => each !== undefined);
  if (rows.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="duties">
      <h2 id="duties">What waits</h2>
      <table className="table">
        <tbody>
          {rows.map(([count, isWhole, what]) => (
            <tr key={what}>
              <td className="num duty">{counted(count, isWhole)}</td>
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
