import { z } from 'zod';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { lastScanOf } from '../campaigns/last-scan.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { ShownScope } from '../sources/scope-schema.ts';
import type { Asking } from './conditions.sql.ts';

const BLIND_SPOTS = ['never_scanned', 'inaccessible', 'stale', 'blocked', 'not_selected'] as const;

/** Of the newest assets in reach, as many are checked for content that is not available. */
const CHECKED = 2_000;
const MAX_BLIND_SPOTS = 50;

/** How far the service knows what the answer is made of. */
export const CoverageSchema = z.object({
  /** The scopes that the asker may see; at most 500. */
  scopes: z.int(),
  /** Assets of the asker's domains, or of the tenant. An asset in two domains counts twice. */
  assetsInReach: z.int(),
  /** Whether all rows in reach were looked at. If not, the newest or most severe were. */
  isWhole: z.boolean(),
  /** When the scope that was scanned longest ago was scanned. Null if none was. */
  oldestScanAt: z.string().nullable(),
  newestScanAt: z.string().nullable(),
  /** Scopes of which the service knows less than it should. `blocked`: the configuration of now does not read them. `inaccessible`: their source refuses them. */
  blindSpots: z.array(z.object({ scopeId: z.string(), scopeName: z.string(), reason: z.enum(BLIND_SPOTS) })),
  /** Of the assets in reach, those whose label is not known: their source has none, or does not say. */
  labelNotKnown: z.int(),
  /** Of the newest assets in reach, those whose content was not read or not wholly, which no words or identifiers find. */
  contentNotAvailable: z.object({ checked: z.int(), assets: z.int() }),
});
export type Coverage = z.infer<typeof CoverageSchema>;

type Facts = {
  assets: number;
  labelNotKnown: number;
  checked: number;
  unread: number;
  oldest: Date | null;
  newest: Date | null;
};

/** The newest `CHECKED` assets in reach. */
const newestInReach = ({ tx, reach, domainIds }: Asking): Statement =>
  reach.kind === 'tenant'
    ? sql`
        select asset_id from assets where tenant_id = ${tx.tenantId} and status = 'active'
         order by changed_at desc, asset_id desc limit ${sql.whole(CHECKED)}`
    : sql`
        select newest.asset_id from unnest(${domainIds}::text[]) as d (domain_id) cross join lateral (
          select p.asset_id, p.changed_at from asset_placements p
           where p.tenant_id = ${tx.tenantId} and p.domain_id = d.domain_id and p.firmest
           order by p.changed_at desc, p.asset_id desc limit ${sql.whole(CHECKED)}) newest
         group by newest.asset_id order by max(newest.changed_at) desc limit ${sql.whole(CHECKED)}`;

export async function coverageOf(
  asking: Asking,
  scopes: readonly ShownScope[],
  isWhole: boolean,
): Promise<Coverage> {
  const { tx, reach } = asking;
  const [facts] = await tx.query<Facts>(sql`
    select r.assets, r.label_not_known as "labelNotKnown", c.checked, c.unread, n.oldest, n.newest
      from (select coalesce(sum(assets), 0)::int as assets,
                   coalesce(sum(assets) filter (where label_state = 'unknown'), 0)::int as label_not_known
              from (select assets, label_state from landscape_cells
                     where tenant_id = ${tx.tenantId} and ${withinDomains(reach, sql`domain_id`)}
                    union all
                    select assets, label_state from placement_changes
                     where tenant_id = ${tx.tenantId} and ${withinDomains(reach, sql`domain_id`)}) counted) r,
           (select count(*)::int as checked, (count(*) filter (where a.content_state <> 'available'))::int as unread
              from (${newestInReach(asking)}) p
              join assets a on a.tenant_id = ${tx.tenantId} and a.asset_id = p.asset_id) c,
           (select min(last) as oldest, max(last) as newest
              from unnest(${scopes.map(({ scopeId }) => scopeId)}::text[]) as s (scope_id) cross join lateral (
                select ${lastScanOf(tx, sql`s.scope_id`)} as last) scanned) n`);
  return {
    scopes: scopes.length,
    assetsInReach: facts?.assets ?? 0,
    isWhole,
    oldestScanAt: facts?.oldest?.toISOString() ?? null,
    newestScanAt: facts?.newest?.toISOString() ?? null,
    blindSpots: scopes.flatMap((scope) => blindSpotOf(scope) ?? []).slice(0, MAX_BLIND_SPOTS),
    labelNotKnown: facts?.labelNotKnown ?? 0,
    contentNotAvailable: { checked: facts?.checked ?? 0, assets: facts?.unread ?? 0 },
  };
}

function blindSpotOf({
  scopeId,
  name,
  mode,
  selected,
  inaccessible,
  coverageState,
}: ShownScope): Coverage['blindSpots'][number] | null {
  const reason =
    mode === 'blocked'
      ? 'blocked'
      : !selected
        ? 'not_selected'
        : inaccessible !== null
          ? 'inaccessible'
          : coverageState === null
            ? 'never_scanned'
            : coverageState === 'stale'
              ? 'stale'
              : null;
  return reason && { scopeId, scopeName: name, reason };
}
