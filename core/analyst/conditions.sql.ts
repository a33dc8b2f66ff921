import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { isExposedTo } from '../findings/exposure.sql.ts';
import { hasOwner } from '../governance/owners.sql.ts';
import type { DomainId } from '../kernel/ids.ts';
import { countedCandidates } from '../review/counted.sql.ts';
import { holdsFindsOf } from '../signals/effective-signals.sql.ts';
import { isGrantedTo } from './grants.sql.ts';
import { type Condition, type Field, type FieldCondition, type Has, type Plan, rankedBy } from './plan.ts';
import { all, anyOf, between, negated, partCondition, within } from './predicates.sql.ts';

/** Who asks, and what the words of the plan were found in. Every condition is limited to what `reach` allows. */
export type Asking = {
  tx: Tx;
  reach: Visibility;
  /** The domains within reach. */
  domainIds: readonly DomainId[];
  /** Ids of the assets that hold the words, by the words. */
  holding: ReadonlyMap<string, readonly string[]>;
};

/** Copies beyond this are not counted. */
const MAX_COPIES = 1_000;

type Places = 'domain' | 'type' | 'provenance' | 'sensitivity' | 'owner' | 'owned' | 'classified';
const PLACES: readonly Field[] = [
  'domain',
  'type',
  'provenance',
  'sensitivity',
  'owner',
  'owned',
  'classified',
];
export type PlaceCondition = FieldCondition<Places>;

export const isOfPlace = (condition: Condition): condition is PlaceCondition =>
  PLACES.includes(condition.field);

/** The conditions of a plan by how they are checked. */
export type SortedConditions = {
  /** Conditions that one placement must meet. */
  places: PlaceCondition[];
  /** Conditions that no placement may meet. */
  noPlaces: PlaceCondition[];
  /** Conditions on columns that a placement has too. */
  plain: Condition[];
  /** Conditions that need the asset. */
  ofAsset: Condition[];
};

const OF_BOTH: readonly Field[] = ['labelState', 'risk', 'scope', 'family', 'changed', 'words', 'has'];

export function sortConditions(where: readonly Condition[]): SortedConditions {
  const isNot = (condition: PlaceCondition) => condition.not === true && condition.field !== 'owned';
  const places = where.filter(isOfPlace);
  const others = where.filter((condition) => !isOfPlace(condition));
  return {
    places: places.filter((condition) => !isNot(condition)),
    noPlaces: places.filter(isNot),
    plain: others.filter(({ field }) => OF_BOTH.includes(field)),
    ofAsset: others.filter(({ field }) => !OF_BOTH.includes(field)),
  };
}

/** Whether only the firmest placement of each domain is meant: unless the type is asked for. */
export const isFirmest = ({ places }: SortedConditions): boolean =>
  places.every(({ field }) => field !== 'type' && field !== 'sensitivity' && field !== 'classified');

/** Condition on `asset_placements p`, or on `candidates p` without provenance, whatever `not` says. */
export function place({ tx }: Asking, condition: PlaceCondition, p: Statement): Statement {
  const tenant = sql`tenant_id = ${tx.tenantId}`;
  switch (condition.field) {
    case 'domain':
      return sql`${p}.domain_id = any(${condition.any}::text[])`;
    case 'type':
      return sql`${p}.information_type_id = any(${condition.any}::text[])`;
    case 'provenance':
      return sql`${p}.provenance = any(${condition.any}::text[])`;
    case 'sensitivity':
      return sql`${p}.information_type_id = any(array(
        select information_type_id from information_types where ${tenant} and sensitivity = any(${condition.any}::text[])))`;
    case 'owner':
      return sql`${p}.domain_id = any(array(
        select domain_id from owner_assignments
         where ${tenant} and principal_id = any(${condition.any}::text[]) and kind = 'owner' and ended_at is null))`;
    case 'owned':
      return sql`${p}.domain_id = any(array(
        select d.domain_id from domains d
         where d.tenant_id = ${tx.tenantId} and ${condition.not === true ? sql`not` : sql``} ${hasOwner}))`;
    case 'classified':
      return sql`coalesce((
        select ${within(sql`k.created_at`, { ...condition, not: undefined })} from candidates k
         where k.${tenant} and k.candidate_id = ${p}.candidate_id), false)`;
  }
}

/** Condition on a placement `p` of the asker's domains: it meets all conditions on places. */
export const meetsPlaces = (asking: Asking, { places }: SortedConditions, p: Statement): Statement =>
  all(places.map((condition) => place(asking, condition, p)));

const placementOf = ({ tx, reach }: Asking, assetId: Statement, meets: Statement): Statement => sql`exists (
  select from asset_placements n
   where n.tenant_id = ${tx.tenantId} and n.asset_id = ${assetId} and ${withinDomains(reach, sql`n.domain_id`)} and ${meets})`;

/** Condition: the asker may see the asset. One that is tied to no domain has a placement too; a deleted one has none. */
export const isSeen = (asking: Asking, assetId: Statement): Statement =>
  placementOf(asking, assetId, sql`true`);

/** Condition: the asset has a placement in the asker's domains that meets the conditions. */
export const isPlaced = (asking: Asking, sorted: SortedConditions, assetId: Statement): Statement =>
  placementOf(
    asking,
    assetId,
    sql`${isFirmest(sorted) ? sql`n.firmest` : sql`true`} and ${meetsPlaces(asking, sorted, sql`n`)}`,
  );

/**
 * Condition: the asset has none of the placements that are ruled out. A provenance or sensitivity is ruled out for the
 * domains and types that the plan asks for.
 */
export function isNotPlaced(
  asking: Asking,
  { places, noPlaces }: SortedConditions,
  assetId: Statement,
): Statement {
  const about = places.filter(({ field }) => field === 'domain' || field === 'type');
  return all(
    noPlaces.map((condition) => {
      const isOfType = ['provenance', 'sensitivity', 'classified'].includes(condition.field);
      const meets = [...(isOfType ? about : []), condition].map((each) => place(asking, each, sql`n`));
      return sql`not ${placementOf(asking, assetId, all(meets))}`;
    }),
  );
}

/** The source family of a row with a scope. */
export const familyOf = ({ tx }: Asking, p: Statement): Statement =>
  sql`(select s.family from scopes s where s.tenant_id = ${tx.tenantId} and s.scope_id = ${p}.scope_id)`;

/** Condition on a row `p` with the columns that placements and assets have in common. */
export function plainCondition(asking: Asking, condition: Condition, p: Statement): Statement {
  switch (condition.field) {
    case 'labelState':
      return anyOf(sql`${p}.label_state`, condition);
    case 'risk':
      return anyOf(sql`coalesce(${p}.risk_severity, '')`, condition);
    case 'scope':
      return anyOf(sql`${p}.scope_id`, condition);
    case 'family':
      return anyOf(familyOf(asking, p), condition);
    case 'changed':
      return within(sql`${p}.changed_at`, condition);
    case 'words':
      return negated(
        sql`${p}.asset_id = any(${asking.holding.get(condition.text) ?? []}::text[])`,
        condition,
      );
    case 'has':
      return has(asking, condition, sql`${p}.asset_id`);
    default:
      throw new TypeError('Not a condition of placements');
  }
}

/** Condition on `assets a`: a folder of its path, or some in a row, have this name. */
function isInFolder(folder: string): Statement {
  const named = folder
    .toLowerCase()
    .replace(/^[/\\]+|[/\\]+$/g, '')
    .replaceAll('\\', '/');
  return sql`position(${`/${named}/`} in lower('/' || regexp_replace(a.path, '[^/]*$', ''))) > 0`;
}

/** Condition on `assets a`. */
export function assetCondition(asking: Asking, condition: Condition): Statement {
  switch (condition.field) {
    case 'label':
      return anyOf(sql`coalesce(a.label_guid, '')`, condition);
    case 'exposure':
      return negated(isExposedTo(condition.any), condition);
    case 'identifier':
      return negated(
        holdsFindsOf(
          sql`a`,
          { detectorIds: condition.any },
          { finds: condition.finds ?? 'sure', least: condition.least ?? 1 },
        ),
        condition,
      );
    case 'findFamily':
      return negated(
        holdsFindsOf(sql`a`, { families: condition.any }, { finds: 'sure', least: 1 }),
        condition,
      );
    case 'name':
      return negated(sql`position(lower(${condition.text}) in lower(a.name)) > 0`, condition);
    case 'folder':
      return negated(isInFolder(condition.text), condition);
    case 'grantee':
      return negated(
        sql`exists (select from jsonb_array_elements(a.grants) g where ${isGrantedTo(condition.text)})`,
        condition,
      );
    case 'format':
      return anyOf(sql`coalesce(a.format, '')`, condition);
    case 'contentState':
      return anyOf(sql`a.content_state`, condition);
    case 'modified':
      return within(sql`a.source_modified_at`, condition);
    case 'created':
      return within(sql`a.source_created_at`, condition);
    case 'firstSeen':
      return within(sql`a.first_seen_at`, condition);
    case 'size':
      return between(sql`a.size_bytes`, condition);
    case 'copies':
      return sql`a.content_hash is not null and ${between(copiesOf(asking), condition)}`;
    default:
      throw new TypeError('Not a condition of assets');
  }
}

/** How many other assets with the bytes of `assets a` the asker may see; at most `MAX_COPIES`. */
export const copiesOf = (asking: Asking): Statement => sql`(
  select count(*) from (
    select from assets c
     where c.tenant_id = ${asking.tx.tenantId} and c.content_hash = a.content_hash and c.status = 'active'
       and c.asset_id <> a.asset_id and ${isSeen(asking, sql`c.asset_id`)}
     limit ${MAX_COPIES}) copies)`;

/** Condition on `actions t`: it is on an asset of the domains within reach. */
export const isOfActionInReach = (reach: Visibility): Statement =>
  reach.kind === 'tenant'
    ? sql`true`
    : sql`exists (
        select from action_domains d
         where d.tenant_id = t.tenant_id and d.action_id = t.action_id and ${withinDomains(reach, sql`d.domain_id`)})`;

/** `from … where`: the findings or candidates of an asset that are meant. */
function partsOf({ tx, reach }: Asking, { of, where }: Has, assetId: Statement): Statement {
  const meets = all(where.map(partCondition));
  return of === 'findings'
    ? sql`from findings f where f.tenant_id = ${tx.tenantId} and f.asset_id = ${assetId} and ${meets}`
    : sql`from ${countedCandidates} k where k.tenant_id = ${tx.tenantId} and k.asset_id = ${assetId}
            and ${withinDomains(reach, sql`k.domain_id`)} and ${meets}`;
}

/** How many findings or candidates of an asset the plan orders by. */
export function numberOfParts(asking: Asking, { where }: Plan, assetId: Statement): Statement {
  const counted = rankedBy(where);
  return counted === undefined ? sql`null::int` : sql`(select count(*) ${partsOf(asking, counted, assetId)})`;
}

/** Condition on the number of findings, candidates or actions of an asset. */
function has(asking: Asking, condition: Has, assetId: Statement): Statement {
  const { tx, reach } = asking;
  const { of, where, min, max } = condition;
  if (of === 'actions') {
    // Read once for all assets: nothing finds the actions of an asset.
    const meets = all(where.map(partCondition));
    const ids = (counted: Statement) => sql`(
      select t.target_asset_id from actions t
       where t.tenant_id = ${tx.tenantId} and ${meets} and ${isOfActionInReach(reach)}
       group by t.target_asset_id having ${counted})`;
    const least = min ?? (max === undefined ? 1 : 0);
    return sql`${least > 0 ? sql`${assetId} in ${ids(sql`count(*) >= ${least}`)}` : sql`true`}
      and ${max === undefined ? sql`true` : sql`${assetId} not in ${ids(sql`count(*) > ${max}`)}`}`;
  }
  const from = partsOf(asking, condition, assetId);
  if (min === undefined && max === undefined) return sql`exists (select ${from})`;
  if (min === undefined && max === 0) return sql`not exists (select ${from})`;
  return between(sql`(select count(*) ${from})`, { min, max });
}
