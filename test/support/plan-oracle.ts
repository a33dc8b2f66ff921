import type { Condition, Dimension, FieldCondition, Plan, SimpleCondition } from '../../core/analyst/plan.ts';
import { isEvent } from '../../core/analyst/plan.ts';
import type { Grant } from '../../core/connectors/connector.ts';
import { SURE_CONFIDENCE } from '../../core/detectors/detector.ts';
import { EXPOSURES, exposureOf } from '../../core/findings/exposure.ts';
import { SEVERITIES } from '../../core/kernel/vocabulary.ts';

/** The rows of one tenant in memory. */
export type Tenant = {
  assets: AssetRow[];
  placements: {
    assetId: string;
    domainId: string | null;
    typeId: string | null;
    provenance: string;
    classifiedAt: Date | null;
    firmest: boolean;
  }[];
  findings: {
    id: string;
    assetId: string;
    kind: string;
    severity: string;
    status: string;
    openedAt: Date;
    acknowledgedAt: Date | null;
    acknowledgedBy: string | null;
    resolvedAt: Date | null;
  }[];
  candidates: {
    id: string;
    assetId: string;
    domainId: string;
    typeId: string | null;
    confidence: number | null;
    band: string;
    status: string;
    value: number;
    createdAt: Date;
    answeredAt: Date | null;
  }[];
  actions: {
    id: string;
    assetId: string;
    kind: string;
    status: string;
    requestedBy: string;
    createdAt: Date;
    updatedAt: Date;
    domainIds: string[];
  }[];
  scopes: {
    id: string;
    family: string;
    name: string;
    coverage: string;
    expectedDomainId: string | null;
    scannedAt: Date | null;
  }[];
  owners: { principalId: string; domainId: string; kind: string }[];
  types: { id: string; sensitivity: string }[];
};
type AssetRow = {
  id: string;
  scopeId: string;
  isActive: boolean;
  name: string;
  size: number;
  createdAt: Date | null;
  modifiedAt: Date | null;
  changedAt: Date;
  firstSeenAt: Date;
  contentState: string;
  format: string | null;
  hash: string | null;
  labelState: string;
  labelId: string | null;
  risk: string | null;
  grants: Grant[];
  path: string;
  identifiers: { detectorId: string; family: string; confidence: number; count: number }[];
};

/** What a plan comes to. `rows` are in order; `sort` is what they are ordered by. */
export type Outcome = {
  total: number;
  size: number;
  rows: { id: string; sort: string | number | null }[];
  groups: { keys: (string | null)[]; count: number; size: number; part: number }[];
  part: number;
};

type Dimensions = Partial<Record<Dimension, (string | null)[]>>;
/** A row that meets the conditions. Each of its groups is one combination of `places` and the other dimensions. */
type Hit = { id: string; size: number; orders: Record<string, string | number | null>; groups: Dimensions[] };

/**
 * Runs a plan over the rows of a tenant, as somebody who may see these domains, or all of it. Slow, and nothing is
 * clever.
 */
export function evaluate(tenant: Tenant, domainIds: readonly string[] | 'all', plan: Plan): Outcome {
  const evaluation = new Evaluation(tenant, domainIds);
  const hits = evaluation.hits(plan);
  const { share } = plan;
  // A row is of the part of a group only if it is in that group by what meets the share.
  const parts = new Map(
    share === undefined
      ? []
      : evaluation
          .hits({ ...plan, where: [...plan.where, ...share] })
          .map((hit) => [hit.id, keysOf(hit, plan)] as const),
  );
  const by = plan.groupBy.length > 0 || plan.order === null ? USUAL[plan.subject] : plan.order;
  const sign = by.direction === 'ascending' ? 1 : -1;
  const sorted = hits
    .map(({ id, orders }) => ({ id, sort: orders[by.by] ?? null }))
    .sort((a, b) => byValue(a.sort, b.sort, sign) || compare(a.id, b.id));
  const groups = new Map<string, Outcome['groups'][number]>();
  for (const hit of hits) {
    for (const key of keysOf(hit, plan)) {
      const group = groups.get(key) ?? {
        keys: JSON.parse(key) as (string | null)[],
        count: 0,
        size: 0,
        part: 0,
      };
      groups.set(key, {
        ...group,
        count: group.count + 1,
        size: group.size + hit.size,
        part: group.part + (parts.get(hit.id)?.has(key) === true ? 1 : 0),
      });
    }
  }
  return {
    total: hits.length,
    size: plan.show === 'size' ? hits.reduce((sum, { size }) => sum + size, 0) : 0,
    rows: sorted,
    groups:
      plan.groupBy.length === 0
        ? []
        : [...groups.values()].filter((group) =>
            between(plan.show === 'size' ? group.size : group.count, plan.having ?? {}),
          ),
    part: hits.filter(({ id }) => parts.has(id)).length,
  };
}

/** The groups of a row. */
const keysOf = ({ groups }: Hit, { groupBy }: Plan): Set<string> =>
  new Set(
    groups.flatMap((group) =>
      product(groupBy.map((dimension) => group[dimension] ?? [null])).map((keys) => JSON.stringify(keys)),
    ),
  );

const USUAL = {
  assets: { by: 'changed', direction: 'descending' },
  findings: { by: 'severity', direction: 'descending' },
  candidates: { by: 'value', direction: 'descending' },
  actions: { by: 'requested', direction: 'descending' },
  scopes: { by: 'name', direction: 'ascending' },
} as const;

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
/** Null comes last in either direction. */
const byValue = (a: string | number | null, b: string | number | null, sign: number): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : sign * compare(a, b);
const product = (lists: (string | null)[][]): (string | null)[][] =>
  lists.reduce<(string | null)[][]>(
    (all, list) => all.flatMap((keys) => list.map((key) => [...keys, key])),
    [[]],
  );
const msOf = (at: Date | null): number | null => at?.getTime() ?? null;
const monthOf = (at: Date | null): string | null => at?.toISOString().slice(0, 7) ?? null;
const orNull = <T>(list: readonly T[]): (T | null)[] => (list.length === 0 ? [null] : [...list]);

class Evaluation {
  readonly tenant: Tenant;
  readonly domainIds: readonly string[] | 'all';

  constructor(tenant: Tenant, domainIds: readonly string[] | 'all') {
    this.tenant = tenant;
    this.domainIds = domainIds;
  }

  hits(plan: Plan): Hit[] {
    switch (plan.subject) {
      case 'assets':
        return this.tenant.assets
          .filter((asset) => asset.isActive && this.sees(asset.id) && this.assetMeets(asset, plan.where))
          .map((asset) => this.ofAsset(asset, plan));
      case 'findings':
        return this.tenant.findings.flatMap((finding) => this.ofFinding(finding, plan));
      case 'candidates':
        return this.tenant.candidates.flatMap((candidate) => this.ofCandidate(candidate, plan));
      case 'actions':
        return this.tenant.actions.flatMap((action) => this.ofAction(action, plan));
      case 'scopes':
        return this.tenant.scopes.flatMap((scope) => this.ofScope(scope, plan));
    }
  }

  /** An asset is seen through a candidate that waits or was confirmed. */
  sees(assetId: string): boolean {
    if (this.domainIds === 'all') return true;
    return this.tenant.candidates.some(
      ({ assetId: of, domainId, status }) =>
        of === assetId && this.reaches(domainId) && ['pending', 'deferred', 'confirmed'].includes(status),
    );
  }

  reaches(domainId: string | null): boolean {
    return this.domainIds === 'all' || (domainId !== null && this.domainIds.includes(domainId));
  }

  asset(id: string): AssetRow {
    const found = this.tenant.assets.find((asset) => asset.id === id);
    if (found === undefined) throw new Error('Every row has an asset');
    return found;
  }

  family(scopeId: string): string | null {
    return this.tenant.scopes.find(({ id }) => id === scopeId)?.family ?? null;
  }

  placesOf(assetId: string) {
    return this.tenant.placements.filter(
      (place) => place.assetId === assetId && this.reaches(place.domainId),
    );
  }

  owners(domainIds: readonly (string | null)[]): string[] {
    return this.tenant.owners
      .filter(({ domainId, kind }) => kind === 'owner' && domainIds.includes(domainId))
      .map(({ principalId }) => principalId);
  }

  copies({ id, hash }: AssetRow): number {
    return this.tenant.assets.filter(
      (other) =>
        other.isActive && other.id !== id && hash !== null && other.hash === hash && this.sees(other.id),
    ).length;
  }

  assetMeets(asset: AssetRow, where: readonly Condition[]): boolean {
    const rest = where.filter((condition) => !isOfPlace(condition));
    return (
      this.placementsMeet(asset, where.filter(isOfPlace)) && rest.every((each) => this.meets(asset, each))
    );
  }

  /** The placements that meet all conditions that are not negated. */
  placementsThatMeet(asset: AssetRow, where: readonly PlaceCondition[], byType = false) {
    const wanted = where.filter((condition) => !isRuledOut(condition));
    const anyType =
      wanted.every(({ field }) => !['type', 'sensitivity', 'classified'].includes(field)) && !byType;
    return this.placesOf(asset.id).filter(
      (place) =>
        (place.firmest || !anyType) && wanted.every((condition) => this.placeMeets(place, condition)),
    );
  }

  /** One placement meets all conditions, and none meets one that is negated, within the domains and types asked for. */
  placementsMeet(asset: AssetRow, where: readonly PlaceCondition[]): boolean {
    const isAsked = where.some((condition) => !isRuledOut(condition));
    if (isAsked && this.placementsThatMeet(asset, where).length === 0) return false;
    const about = where.filter(
      (condition) => !isRuledOut(condition) && (condition.field === 'domain' || condition.field === 'type'),
    );
    return where.filter(isRuledOut).every((condition) => {
      const within = ['provenance', 'sensitivity', 'classified'].includes(condition.field) ? about : [];
      return !this.placesOf(asset.id).some((place) =>
        [...within, condition].every((each) => this.placeMeets(place, each)),
      );
    });
  }

  placeMeets(
    { domainId, typeId, provenance, classifiedAt = null }: PlaceFacts,
    condition: PlaceCondition,
  ): boolean {
    const of = (values: readonly string[], value: string | null | undefined) =>
      value !== null && value !== undefined && values.includes(value);
    switch (condition.field) {
      case 'domain':
        return of(condition.any, domainId);
      case 'type':
        return of(condition.any, typeId);
      case 'provenance':
        return of(condition.any, provenance);
      case 'sensitivity':
        return of(condition.any, this.tenant.types.find(({ id }) => id === typeId)?.sensitivity);
      case 'owner':
        return this.owners([domainId]).some((id) => condition.any.includes(id));
      case 'owned':
        return domainId !== null && this.owners([domainId]).length > 0 !== (condition.not === true);
      case 'classified':
        return within(classifiedAt, { ...condition, not: undefined });
    }
  }

  /** A condition of the asset itself. */
  meets(asset: AssetRow, condition: Exclude<Condition, PlaceCondition>): boolean {
    switch (condition.field) {
      case 'labelState':
        return anyOf(asset.labelState, condition);
      case 'label':
        return anyOf(asset.labelId, condition);
      case 'risk':
        return anyOf(asset.risk, condition);
      case 'scope':
        return anyOf(asset.scopeId, condition);
      case 'family':
        return anyOf(this.family(asset.scopeId), condition);
      case 'format':
        return anyOf(asset.format, condition);
      case 'contentState':
        return anyOf(asset.contentState, condition);
      case 'exposure':
        return (
          EXPOSURES.some(
            (exposure) =>
              condition.any.includes(exposure) &&
              asset.grants.some((grant) => exposureOf([grant]) === exposure),
          ) !==
          (condition.not === true)
        );
      case 'identifier':
        return (
          asset.identifiers.some(
            ({ detectorId, confidence, count }) =>
              condition.any.includes(detectorId) &&
              (condition.finds === 'all' || confidence >= SURE_CONFIDENCE) &&
              count >= (condition.least ?? 1),
          ) !==
          (condition.not === true)
        );
      case 'findFamily':
        return (
          asset.identifiers.some(
            ({ family, confidence }) =>
              (condition.any as string[]).includes(family) && confidence >= SURE_CONFIDENCE,
          ) !==
          (condition.not === true)
        );
      case 'name':
        return asset.name.toLowerCase().includes(condition.text.toLowerCase()) !== (condition.not === true);
      case 'folder':
        return (
          asset.path.toLowerCase().split('/').slice(0, -1).includes(condition.text.toLowerCase()) !==
          (condition.not === true)
        );
      case 'grantee':
        return asset.grants.some((grant) => isGrantedTo(grant, condition.text)) !== (condition.not === true);
      case 'modified':
        return within(asset.modifiedAt, condition);
      case 'created':
        return within(asset.createdAt, condition);
      case 'changed':
        return within(asset.changedAt, condition);
      case 'firstSeen':
        return within(asset.firstSeenAt, condition);
      case 'size':
        return between(asset.size, condition);
      case 'copies':
        return asset.hash !== null && between(this.copies(asset), condition);
      case 'has': {
        const { min, max } = condition;
        const count = this.partsOf(asset, condition.of).filter((part) =>
          condition.where.every((each) => partMeets(part, each)),
        ).length;
        return between(count, min === undefined && max === undefined ? { min: 1 } : condition);
      }
      default:
        throw new TypeError(`Not a condition of assets: ${condition.field}`);
    }
  }

  partsOf(asset: AssetRow, of: 'findings' | 'candidates' | 'actions'): Part[] {
    const { findings, candidates, actions } = this.tenant;
    if (of === 'findings') return findings.filter(({ assetId }) => assetId === asset.id);
    if (of === 'actions')
      return actions.filter(({ assetId, domainIds }) => assetId === asset.id && this.overlaps(domainIds));
    return candidates.filter(({ assetId, domainId }) => assetId === asset.id && this.overlaps([domainId]));
  }

  overlaps(domainIds: readonly string[]): boolean {
    return this.domainIds === 'all' || domainIds.some((id) => this.reaches(id));
  }

  dimensionsOf(asset: AssetRow): Dimensions {
    return {
      scope: [asset.scopeId],
      family: [this.family(asset.scopeId)],
      label: [asset.labelState === 'labeled' ? (asset.labelId ?? 'labeled') : asset.labelState],
      risk: [asset.risk],
      format: [asset.format],
      contentState: [asset.contentState],
    };
  }

  /** The groups of an asset by its places that meet the conditions. */
  placeGroups(asset: AssetRow, { where, groupBy }: Plan): Dimensions[] {
    const places = this.placementsThatMeet(asset, where.filter(isOfPlace), groupBy.includes('type'));
    return orNull(places).map((place) => ({
      ...this.dimensionsOf(asset),
      domain: [place?.domainId ?? null],
      type: [place?.typeId ?? null],
      owner: orNull(this.owners([place?.domainId ?? null])),
    }));
  }

  ofAsset(asset: AssetRow, { where, show, groupBy }: Plan): Hit {
    const counted = where.find((each) => each.field === 'has' && each.of !== 'actions');
    const grants = asset.grants.filter((grant) =>
      where.every((each) =>
        each.field === 'grantee' && each.not !== true
          ? isGrantedTo(grant, each.text)
          : each.field !== 'exposure' ||
            each.not === true ||
            each.any.some((one) => one === exposureOf([grant])),
      ),
    );
    const isGrouped = groupBy.some((each) => each.startsWith('grantee'));
    return {
      id: asset.id,
      size: show === 'size' ? asset.size : 0,
      orders: {
        changed: msOf(asset.changedAt),
        modified: msOf(asset.modifiedAt),
        created: msOf(asset.createdAt),
        size: asset.size,
        name: asset.name.toLowerCase(),
        risk: asset.risk === null ? null : (SEVERITIES as readonly string[]).indexOf(asset.risk) + 1,
        copies: this.copies(asset),
        parts:
          counted?.field === 'has'
            ? this.partsOf(asset, counted.of).filter((part) =>
                counted.where.every((each) => partMeets(part, each)),
              ).length
            : null,
      },
      groups: this.placementsThatMeet(asset, where.filter(isOfPlace), groupBy.includes('type')).flatMap(
        (place) =>
          (isGrouped ? orNull(grants) : [null]).map((grant) => ({
            grantee: [grant?.principal ?? null],
            granteeDomain: [grant === null ? null : domainOf(grant)],
            ...this.dimensionsOf(asset),
            domain: [place.domainId],
            type: [place.typeId],
            provenance: [place.provenance],
            owner: orNull(this.owners([place.domainId])),
            labelState: [asset.labelState],
            modifiedMonth: [monthOf(asset.modifiedAt)],
          })),
      ),
    };
  }

  ofFinding(finding: Tenant['findings'][number], plan: Plan): Hit[] {
    const { where } = plan;
    const asset = this.asset(finding.assetId);
    const isHit = this.sees(asset.id) && splitMeets(where, finding, (rest) => this.assetMeets(asset, rest));
    if (!isHit) return [];
    const own: Dimensions = {
      severity: [finding.severity],
      findingKind: [finding.kind],
      findingStatus: [finding.status],
      openedMonth: [monthOf(finding.openedAt)],
    };
    const orders = {
      severity: (SEVERITIES as readonly string[]).indexOf(finding.severity),
      opened: msOf(finding.openedAt),
    };
    return [
      {
        id: finding.id,
        size: 0,
        orders,
        groups: this.placeGroups(asset, plan).map((each) => ({ ...each, ...own })),
      },
    ];
  }

  /** A candidate has a domain and type of its own. What is said of its asset needs an asset that is seen. */
  ofCandidate(candidate: Tenant['candidates'][number], { where, groupBy }: Plan): Hit[] {
    const asset = this.asset(candidate.assetId);
    if (!this.overlaps([candidate.domainId]) || !asset.isActive) return [];
    const isOwn = (condition: Condition): condition is PlaceCondition =>
      isOfPlace(condition) && condition.field !== 'provenance' && condition.field !== 'classified';
    const meetsOwn = where
      .filter(isOwn)
      .every((condition) => this.placeMeets(candidate, condition) !== isRuledOut(condition));
    const others = where.filter((condition) => !isOwn(condition));
    const ofAsset = this.dimensionsOf(asset);
    const needsAsset =
      others.some((each) => !isPartField(each.field)) || groupBy.some((each) => each in ofAsset);
    const isHit =
      meetsOwn &&
      (!needsAsset || this.sees(asset.id)) &&
      splitMeets(others, candidate, (rest) => rest.length === 0 || this.assetMeets(asset, rest));
    if (!isHit) return [];
    const group: Dimensions = {
      ...ofAsset,
      domain: [candidate.domainId],
      type: [candidate.typeId],
      owner: orNull(this.owners([candidate.domainId])),
      candidateStatus: [candidate.status],
      band: [candidate.band],
    };
    const orders = {
      value: candidate.value,
      confidence: candidate.confidence,
      asked: msOf(candidate.createdAt),
    };
    return [{ id: candidate.id, size: 0, orders, groups: [group] }];
  }

  ofAction(action: Tenant['actions'][number], plan: Plan): Hit[] {
    const { where, groupBy } = plan;
    const asset = this.asset(action.assetId);
    if (!this.overlaps(action.domainIds)) return [];
    const needsAsset =
      where.some((each) => !isPartField(each.field)) ||
      groupBy.some((each) => each in this.dimensionsOf(asset) || each === 'domain' || each === 'type');
    const isHit =
      (!needsAsset || (asset.isActive && this.sees(asset.id))) &&
      splitMeets(where, action, (rest) => rest.length === 0 || this.assetMeets(asset, rest));
    if (!isHit) return [];
    const own: Dimensions = {
      actionStatus: [action.status],
      actionKind: [action.kind],
      requester: [action.requestedBy],
    };
    return [
      {
        id: action.id,
        size: 0,
        orders: { requested: msOf(action.createdAt) },
        groups: this.placeGroups(asset, plan).map((each) => ({ ...each, ...own })),
      },
    ];
  }

  ofScope(scope: Tenant['scopes'][number], { where }: Plan): Hit[] {
    const seen = this.tenant.assets.filter(
      ({ id, scopeId, isActive }) => scopeId === scope.id && isActive && this.sees(id),
    );
    const isExpected = scope.expectedDomainId !== null && this.overlaps([scope.expectedDomainId]);
    if (this.domainIds !== 'all' && seen.length === 0 && !isExpected) return [];
    // For who sees some domains, an asset counts once for each of them.
    const assetCount = seen.reduce(
      (sum, { id }) =>
        sum +
        (this.domainIds === 'all' ? 1 : new Set(this.placesOf(id).map(({ domainId }) => domainId)).size),
      0,
    );
    const isHit = where.every((condition) => {
      switch (condition.field) {
        case 'scope':
          return anyOf(scope.id, condition);
        case 'family':
          return anyOf(scope.family, condition);
        case 'coverage':
          return anyOf(scope.coverage, condition);
        case 'assetCount':
          return between(assetCount, condition);
        case 'expects':
          return anyOf(isExpected ? scope.expectedDomainId : null, condition);
        case 'scanned':
          return within(scope.scannedAt, condition);
        default:
          throw new TypeError(`Not a condition of scopes: ${condition.field}`);
      }
    });
    const orders = { name: scope.name.toLowerCase(), assetCount, scanned: msOf(scope.scannedAt) };
    return isHit
      ? [{ id: scope.id, size: 0, orders, groups: [{ family: [scope.family], coverage: [scope.coverage] }] }]
      : [];
  }
}

const wordsIn = (text: string): string =>
  ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ')} `;
/** Who has it; of a guest the address that was invited: `jo_other.example#EXT#@ours.example`. */
const granteeOf = ({ principal }: Grant): string => {
  const [invited = '', home] = principal.toLowerCase().split('#ext#@');
  const at = invited.lastIndexOf('_');
  return home === undefined ? invited : `${invited.slice(0, at)}@${invited.slice(at + 1)}`;
};
const isGrantedTo = (grant: Grant, text: string): boolean => {
  const said = text.toLowerCase();
  if (/\s/.test(said) || !said.includes('.'))
    return wordsIn(said).trim() !== '' && wordsIn(grant.principal).includes(wordsIn(said));
  const parts = granteeOf(grant).split(/[\s<>()|,;"'\\]+/);
  return said.includes('@')
    ? parts.includes(said)
    : parts.some((part) => part === said || part.endsWith(`@${said}`));
};
const domainOf = (grant: Grant): string | null =>
  grant.principalKind === 'user' ? (/@([^@ ]+)$/.exec(granteeOf(grant))?.[1] ?? null) : null;

type PlaceFacts = {
  domainId: string | null;
  typeId: string | null;
  provenance?: string;
  classifiedAt?: Date | null;
};
type PlaceCondition = FieldCondition<
  'domain' | 'type' | 'provenance' | 'sensitivity' | 'owner' | 'owned' | 'classified'
>;
const isOfPlace = (condition: Condition): condition is PlaceCondition =>
  ['domain', 'type', 'provenance', 'sensitivity', 'owner', 'owned', 'classified'].includes(condition.field);
/** `owned` says its own opposite: a place of which nobody is the owner. */
const isRuledOut = (condition: PlaceCondition): boolean =>
  condition.not === true && condition.field !== 'owned';

type Part = Tenant['findings'][number] | Tenant['candidates'][number] | Tenant['actions'][number];

const PART_FIELDS = [
  ...['findingKind', 'severity', 'findingStatus', 'acknowledgedBy', 'opened', 'acknowledged', 'resolved'],
  ...['candidateStatus', 'band', 'confidence', 'asked', 'answered'],
  ...['actionStatus', 'actionKind', 'requester', 'requested', 'moved'],
];
const isPartField = (field: string): boolean => PART_FIELDS.includes(field);

/** Whether a part meets what is said of it, and its asset the rest. */
function splitMeets(
  where: readonly Condition[],
  part: Part,
  assetMeets: (rest: readonly Condition[]) => boolean,
): boolean {
  const own = where.filter(({ field }) => isPartField(field)) as SimpleCondition[];
  return (
    own.every((each) => partMeets(part, each)) && assetMeets(where.filter(({ field }) => !isPartField(field)))
  );
}

function partMeets(part: Part, condition: SimpleCondition): boolean {
  // The plan names only fields that the part has.
  const row = part as Tenant['findings'][number] & Tenant['candidates'][number] & Tenant['actions'][number];
  switch (condition.field) {
    case 'findingKind':
    case 'actionKind':
      return anyOf(row.kind, condition);
    case 'severity':
      return anyOf(row.severity, condition);
    case 'findingStatus':
    case 'candidateStatus':
    case 'actionStatus':
      return anyOf(row.status, condition);
    case 'acknowledgedBy':
      return anyOf(row.acknowledgedBy, condition);
    case 'opened':
      return within(row.openedAt, condition);
    case 'acknowledged':
      return within(row.acknowledgedAt, condition);
    case 'resolved':
      return within(row.resolvedAt, condition);
    case 'band':
      return anyOf(row.band, condition);
    case 'confidence':
      return between(row.confidence, condition);
    case 'asked':
    case 'requested':
      return within(row.createdAt, condition);
    case 'answered':
      return within(row.answeredAt, condition);
    case 'requester':
      return anyOf(row.requestedBy, condition);
    case 'moved':
      return within(row.updatedAt, condition);
    default:
      throw new TypeError(`Not a condition of a part: ${condition.field}`);
  }
}

const anyOf = (
  value: string | null,
  { any, not }: { any: readonly string[]; not?: true | undefined },
): boolean => (value !== null && any.includes(value)) !== (not === true);

const between = (
  value: number | null,
  { min, max }: { min?: number | undefined; max?: number | undefined },
): boolean =>
  (min === undefined && max === undefined) ||
  (value !== null &&
    value >= (min ?? Number.NEGATIVE_INFINITY) &&
    value <= (max ?? Number.POSITIVE_INFINITY));

type Window = Extract<SimpleCondition, { from?: string | undefined }>;

function within(at: Date | null, { field, from, to, not }: Window): boolean {
  if (at === null) return not === true && isEvent(field);
  const isInside =
    (from === undefined || at.getTime() >= Date.parse(from)) &&
    (to === undefined || at.getTime() < Date.parse(to));
  return isInside !== (not === true);
}
