import { assetById } from '../authz/asset-by-id.sql.ts';
import { visibleScope } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { lastScanOf } from '../campaigns/last-scan.sql.ts';
import { FENCE } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import { visibleFindings } from '../findings/finding-filter.sql.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { assetsByScope } from '../landscape/cells.sql.ts';
import { countedCandidates } from '../review/counted.sql.ts';
import {
  type Asking,
  assetCondition,
  copiesOf,
  familyOf,
  isFirmest,
  isNotPlaced,
  isOfActionInReach,
  isOfPlace,
  isPlaced,
  isSeen,
  meetsPlaces,
  numberOfParts,
  type PlaceCondition,
  place,
  plainCondition,
  type SortedConditions,
  sortConditions,
} from './conditions.sql.ts';
import { grantsOf } from './grants.sql.ts';
import {
  type Condition,
  type Dimension,
  hasOwnField,
  type Order,
  type Plan,
  type SimpleCondition,
  type Subject,
} from './plan.ts';
import { all, anyOf, between, partCondition, within } from './predicates.sql.ts';

/**
 * Where the rows of a plan come from. `read` selects the rows that are looked at, the newest or most severe first,
 * as `p`; `joined` is what is joined to them, and `where` what must hold then.
 */
export type Source = {
  read: Statement;
  joined: Statement;
  where: Statement;
  /** The id of a row, and of its asset or null. */
  id: Statement;
  assetId: Statement;
  dimensions: Partial<Record<Dimension, Statement>>;
  orders: Partial<Record<Order, Statement>>;
  size: Statement;
  /** How many rows were walked over to find some of those, if it is not known from them. */
  walked?: Statement;
  usual: { by: Order; direction: 'ascending' | 'descending' };
};

export const sourceOf = (asking: Asking, plan: Plan, most: number): Source =>
  SOURCES[plan.subject](asking, plan, most);

const SOURCES: Readonly<Record<Subject, (asking: Asking, plan: Plan, most: number) => Source>> = {
  assets: ofAssets,
  findings: ofFindings,
  candidates: ofCandidates,
  actions: ofActions,
  scopes: ofScopes,
};

const first = (most: number): Statement => sql`limit ${sql.whole(most + 1)}`;
const month = (column: Statement): Statement => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM')`;

/** Dimensions of `assets a`. */
const OF_ASSET = (asking: Asking): Partial<Record<Dimension, Statement>> => ({
  scope: sql`a.scope_id`,
  family: familyOf(asking, sql`a`),
  label: sql`coalesce(case when a.label_state = 'labeled' then a.label_guid end, a.label_state)`,
  risk: sql`a.risk_severity`,
  format: sql`a.format`,
  contentState: sql`a.content_state`,
});

/**
 * The placements of an asset that meet the conditions, for groups: `w`. By type, it counts in each type that a condition
 * on types finds it by.
 */
function placesOf(asking: Asking, { where, groupBy }: Plan): Statement {
  const sorted = sortConditions(where);
  const isFirm = isFirmest(sorted) && !groupBy.includes('type');
  return sql`
  left join lateral (
    select n.domain_id, n.information_type_id from asset_placements n
     where n.tenant_id = ${asking.tx.tenantId} and n.asset_id = a.asset_id
       and ${isFirm ? sql`n.firmest` : sql`true`} and ${withinDomains(asking.reach, sql`n.domain_id`)}
       and ${meetsPlaces(asking, sorted, sql`n`)}
    ${FENCE}) w on true`;
}
const ownerOf = ({ tx }: Asking, domainId: Statement): Statement => sql`
  left join owner_assignments o
    on o.tenant_id = ${tx.tenantId} and o.domain_id = ${domainId} and o.kind = 'owner' and o.ended_at is null`;

const PLACEMENT = sql`
  p.asset_id, p.domain_id, p.information_type_id, p.scope_id, p.provenance, p.label_state, p.risk_severity, p.changed_at`;

/** Whether assets that are tied to no domain are meant too: who asks reads all of the tenant, and names no domain. */
const readsUnplaced = ({ reach }: Asking, { places }: SortedConditions): boolean =>
  reach.kind === 'tenant' && places.every(({ field }) => field === 'provenance');

/** The newest assets of the tenant, among which those without a domain are sought. */
const newest = ({ tx }: Asking, most: number): Statement => sql`
  select asset_id from assets where tenant_id = ${tx.tenantId} and status = 'active'
   order by changed_at desc, asset_id desc ${first(most)}`;

const unplacedOf = (asking: Asking, meets: Statement, most: number): Statement => sql`
  select p.* from (${newest(asking, most)}) n cross join lateral (
    select ${PLACEMENT} from asset_placements p
     where p.tenant_id = ${asking.tx.tenantId} and p.asset_id = n.asset_id and p.domain_id is null and ${meets}
    ${FENCE}) p`;

function ofAssets(asking: Asking, plan: Plan, most: number): Source {
  const { tx, domainIds } = asking;
  const sorted = sortConditions(plan.where);
  const groups = (...dimensions: Dimension[]) => plan.groupBy.some((each) => dimensions.includes(each));
  const order = plan.order?.by ?? 'changed';
  const needsAsset =
    sorted.ofAsset.length > 0 ||
    plan.show === 'size' ||
    groups('label', 'format', 'contentState', 'modifiedMonth', 'grantee', 'granteeDomain') ||
    !['changed', 'risk', 'measure', 'parts'].includes(order);
  const meets = sql`${meetsPlaces(asking, sorted, sql`p`)}
    and ${all(sorted.plain.map((condition) => plainCondition(asking, condition, sql`p`)))}`;
  const placed = sql`
    select p.* from unnest(${domainIds}::text[]) as d (domain_id) cross join lateral (
      select ${PLACEMENT} from asset_placements p
       where p.tenant_id = ${tx.tenantId} and p.domain_id = d.domain_id and ${
         isFirmest(sorted) && !groups('type') ? sql`p.firmest` : sql`true`
       }
         and ${meets}
       order by p.changed_at desc, p.asset_id desc ${first(most)}) p`;
  const unplaced = readsUnplaced(asking, sorted);
  return {
    // The newest of each domain, of which the newest are kept.
    read: sql`
      select p.* from (${placed} ${unplaced ? sql`union all ${unplacedOf(asking, meets, most)}` : sql``}) p
       order by p.changed_at desc, p.asset_id desc ${first(most)}`,
    ...(unplaced && { walked: sql`(select count(*)::int from (${newest(asking, most)}) w)` }),
    joined: sql`
      ${needsAsset ? sql`cross join lateral ${assetById(tx, sql`p.asset_id`)}` : sql``}
      ${groups('owner') ? ownerOf(asking, sql`p.domain_id`) : sql``}
      ${groups('grantee', 'granteeDomain') ? grantsOf(plan.where) : sql``}`,
    where: sql`${isNotPlaced(asking, sorted, sql`p.asset_id`)}
      and ${all(sorted.ofAsset.map((condition) => assetCondition(asking, condition)))}`,
    id: sql`p.asset_id`,
    assetId: sql`p.asset_id`,
    dimensions: {
      ...OF_ASSET(asking),
      domain: sql`p.domain_id`,
      type: sql`p.information_type_id`,
      scope: sql`p.scope_id`,
      family: familyOf(asking, sql`p`),
      risk: sql`p.risk_severity`,
      labelState: sql`p.label_state`,
      provenance: sql`p.provenance`,
      owner: sql`o.principal_id`,
      modifiedMonth: month(sql`a.source_modified_at`),
      grantee: sql`g.grantee`,
      granteeDomain: sql`g."granteeDomain"`,
    },
    orders: {
      changed: sql`p.changed_at`,
      modified: sql`a.source_modified_at`,
      created: sql`a.source_created_at`,
      size: sql`a.size_bytes`,
      name: sql`lower(a.name)`,
      risk: sql`array_position(${[...SEVERITIES]}::text[], p.risk_severity)`,
      copies: copiesOf(asking),
      parts: numberOfParts(asking, plan, sql`p.asset_id`),
    },
    size: plan.show === 'size' ? sql`a.size_bytes` : sql`0`,
    usual: { by: 'changed', direction: 'descending' },
  };
}

/** Conditions on the asset of a finding, candidate or action, as `assets a`. */
function meetsAsset(asking: Asking, where: readonly Condition[]): Statement {
  const sorted = sortConditions(where);
  return sql`
    ${sorted.places.length === 0 ? sql`true` : isPlaced(asking, sorted, sql`a.asset_id`)}
    and ${isNotPlaced(asking, sorted, sql`a.asset_id`)}
    and ${all(sorted.plain.map((condition) => plainCondition(asking, condition, sql`a`)))}
    and ${all(sorted.ofAsset.map((condition) => assetCondition(asking, condition)))}`;
}

const ownOf = (subject: Subject, where: readonly Condition[]) => ({
  own: where.filter(
    (each): each is SimpleCondition => each.field !== 'has' && hasOwnField(subject, each.field),
  ),
  ofAsset: where.filter(({ field }) => !hasOwnField(subject, field)),
});
const groupsByPlace = ({ groupBy }: Plan): boolean =>
  groupBy.some((each) => ['domain', 'type', 'owner'].includes(each));

function ofFindings(asking: Asking, plan: Plan, most: number): Source {
  const { own, ofAsset } = ownOf('findings', plan.where);
  const isUnresolved = own.some(
    (each) => each.field === 'findingStatus' && each.not !== true && !each.any.includes('resolved'),
  );
  return {
    read: sql`
      select f.* from ${visibleFindings(asking.tx, asking.reach, isUnresolved ? undefined : 'all')}
       where f.tenant_id = ${asking.tx.tenantId} and ${all(own.map(partCondition))}
       order by f.severity_rank desc, f.opened_at desc, f.finding_id desc ${first(most)}`,
    joined: sql`cross join lateral ${assetById(asking.tx, sql`p.asset_id`)}
      ${groupsByPlace(plan) ? sql`${placesOf(asking, plan)} ${ownerOf(asking, sql`w.domain_id`)}` : sql``}`,
    where: meetsAsset(asking, ofAsset),
    id: sql`p.finding_id`,
    assetId: sql`p.asset_id`,
    dimensions: {
      ...OF_ASSET(asking),
      domain: sql`w.domain_id`,
      type: sql`w.information_type_id`,
      owner: sql`o.principal_id`,
      severity: sql`p.severity`,
      findingKind: sql`p.kind`,
      findingStatus: sql`p.status`,
      openedMonth: month(sql`p.opened_at`),
    },
    orders: { severity: sql`p.severity_rank`, opened: sql`p.opened_at` },
    size: sql`0`,
    usual: { by: 'severity', direction: 'descending' },
  };
}

/** A candidate has a domain and a type that it counts under, whatever else its asset is tied to. */
const isOfCandidate = (condition: Condition): condition is PlaceCondition =>
  isOfPlace(condition) && condition.field !== 'provenance' && condition.field !== 'classified';

/** Conditions on `candidates k`. */
const placesOfCandidate = (asking: Asking, where: readonly Condition[]): Statement[] =>
  where.filter(isOfCandidate).map((condition) => {
    const meets = sql`coalesce(${place(asking, condition, sql`k`)}, false)`;
    return condition.not === true && condition.field !== 'owned' ? sql`not ${meets}` : meets;
  });

function ofCandidates(asking: Asking, plan: Plan, most: number): Source {
  const { tx, reach } = asking;
  const { own, ofAsset } = ownOf('candidates', plan.where);
  const conditions = ofAsset.filter((condition) => !isOfCandidate(condition));
  const isOfAsset = conditions.length > 0 || plan.groupBy.some((each) => each in OF_ASSET(asking));
  return {
    read: sql`
      select k.* from ${countedCandidates} k
       where k.tenant_id = ${tx.tenantId} and ${withinDomains(reach, sql`k.domain_id`)} and k.asset_active
         and ${all([...own.map(partCondition), ...placesOfCandidate(asking, ofAsset)])}
       order by k.created_at desc, k.candidate_id desc ${first(most)}`,
    // A rejected candidate ties its asset to no domain. Nothing is said of an asset that the asker may no longer see.
    joined: sql`
      ${isOfAsset ? sql`cross join lateral ${assetById(tx, sql`p.asset_id`)}` : sql``}
      ${plan.groupBy.includes('owner') ? ownerOf(asking, sql`p.domain_id`) : sql``}`,
    where: isOfAsset
      ? sql`${isSeen(asking, sql`a.asset_id`)} and ${meetsAsset(asking, conditions)}`
      : sql`true`,
    id: sql`p.candidate_id`,
    assetId: sql`p.asset_id`,
    dimensions: {
      ...OF_ASSET(asking),
      domain: sql`p.domain_id`,
      type: sql`p.information_type_id`,
      owner: sql`o.principal_id`,
      candidateStatus: sql`p.status`,
      band: sql`p.band`,
    },
    orders: { value: sql`p.value`, confidence: sql`p.confidence`, asked: sql`p.created_at` },
    size: sql`0`,
    usual: { by: 'value', direction: 'descending' },
  };
}

function ofActions(asking: Asking, plan: Plan, most: number): Source {
  const { tx, reach } = asking;
  const { own, ofAsset } = ownOf('actions', plan.where);
  const isOfAsset =
    ofAsset.length > 0 || plan.groupBy.some((each) => each in OF_ASSET(asking)) || groupsByPlace(plan);
  return {
    read: sql`
      select t.* from actions t
       where t.tenant_id = ${tx.tenantId} and ${all(own.map(partCondition))} and ${isOfActionInReach(reach)}
       order by t.created_at desc, t.action_id desc ${first(most)}`,
    // Nothing is said of an asset that the asker may no longer see.
    joined: isOfAsset
      ? sql`cross join lateral ${assetById(tx, sql`p.target_asset_id`)}
          ${groupsByPlace(plan) ? placesOf(asking, plan) : sql``}`
      : sql``,
    where: isOfAsset ? sql`${isSeen(asking, sql`a.asset_id`)} and ${meetsAsset(asking, ofAsset)}` : sql`true`,
    id: sql`p.action_id`,
    assetId: sql`p.target_asset_id`,
    dimensions: {
      ...OF_ASSET(asking),
      domain: sql`w.domain_id`,
      type: sql`w.information_type_id`,
      actionStatus: sql`p.status`,
      actionKind: sql`p.kind`,
      requester: sql`p.requested_by`,
    },
    orders: { requested: sql`p.created_at` },
    size: sql`0`,
    usual: { by: 'requested', direction: 'descending' },
  };
}

function ofScopes(asking: Asking, { where }: Plan, most: number): Source {
  const { tx, reach } = asking;
  const condition = (each: Condition): Statement => {
    switch (each.field) {
      case 'scope':
        return anyOf(sql`p.scope_id`, each);
      case 'family':
        return anyOf(sql`p.family`, each);
      case 'coverage':
        return anyOf(sql`p.coverage`, each);
      case 'assetCount':
        return between(sql`p.assets`, each);
      case 'expects':
        return anyOf(sql`coalesce(p.expected_domain_id, '')`, each);
      case 'scanned':
        return within(sql`p.scanned_at`, each);
      default:
        throw new TypeError('Not a condition of scopes');
    }
  };
  return {
    read: sql`
      select s.scope_id, s.name, s.family, coalesce(s.coverage_state, 'never') as coverage, coalesce(n.assets, 0) as assets,
             case when ${withinDomains(reach, sql`s.expected_domain_id`)} then s.expected_domain_id end as expected_domain_id,
             ${lastScanOf(tx, sql`s.scope_id`)} as scanned_at
        from scopes s left join (${assetsByScope(tx, reach)}) n using (scope_id)
       where s.tenant_id = ${tx.tenantId} and ${visibleScope(reach)} order by s.name, s.scope_id ${first(most)}`,
    joined: sql``,
    where: all(where.map(condition)),
    id: sql`p.scope_id`,
    assetId: sql`null::text`,
    dimensions: { family: sql`p.family`, coverage: sql`p.coverage` },
    orders: { name: sql`lower(p.name)`, assetCount: sql`p.assets`, scanned: sql`p.scanned_at` },
    size: sql`0`,
    usual: { by: 'name', direction: 'ascending' },
  };
}
