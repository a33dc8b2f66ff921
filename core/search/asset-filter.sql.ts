import type { AssetFilter } from '../assets/asset-schema.ts';
import { equalUnpeeked } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import { widestExposure } from '../findings/exposure.sql.ts';
import { holdsKind } from '../signals/effective-signals.sql.ts';

/** The filter of a walk. `riskSeverity` null: assets without a risk. */
export type WalkFilter = Omit<AssetFilter, 'q' | 'domainId' | 'ownerId' | 'riskSeverity'> & {
  riskSeverity?: AssetFilter['riskSeverity'] | null;
};

/** Conditions on columns that `assets` and `asset_placements` have in common. */
export function commonConditions(
  of: Statement,
  { labelState, riskSeverity, scopeId, changedFrom, changedBefore }: WalkFilter,
): Statement {
  const risk =
    riskSeverity === null
      ? sql`${of}.risk_severity is null`
      : equalUnpeeked(sql`${of}.risk_severity`, riskSeverity);
  return sql`
    ${equalUnpeeked(sql`${of}.label_state`, labelState)} and ${risk} and ${equalUnpeeked(sql`${of}.scope_id`, scopeId)}
    and ${changedFrom === undefined ? sql`true` : sql`${of}.changed_at >= ${new Date(changedFrom)}`}
    and ${changedBefore === undefined ? sql`true` : sql`${of}.changed_at < ${new Date(changedBefore)}`}`;
}

/** Condition on `assets a` that only the row of the asset answers. Null if the filter has none. */
export function ownConditions(filter: WalkFilter): Statement | null {
  const { fileFormat, labelGuid, exposure, identifier, identifierFinds } = filter;
  if ([fileFormat, labelGuid, exposure, identifier].every((member) => member === undefined)) return null;
  return sql`
    ${equalUnpeeked(sql`a.format`, fileFormat)} and ${equalUnpeeked(sql`a.label_guid`, labelGuid)}
    and ${exposure === undefined ? sql`true` : sql`${widestExposure} = ${exposure}`}
    and ${identifier === undefined ? sql`true` : holdsKind(sql`a`, identifier, identifierFinds ?? 'all')}`;
}

/** Condition on `assets a`: the state of the content. */
export const inContentState = ({ contentState }: WalkFilter): Statement =>
  equalUnpeeked(sql`a.content_state`, contentState);

/** Whether the marks of the index of words say less than the filter asks for. */
export const asksBeyondMarks = ({
  informationTypeId: _,
  labelState: _label,
  riskSeverity: _risk,
  ...others
}: WalkFilter): boolean => Object.values(others).some((member) => member !== undefined);

/** Whether the filter has members with many combinations, so that no connection should keep its statement. */
export const isRarelyAsked = ({ contentState: _, ...filter }: WalkFilter): boolean => asksBeyondMarks(filter);
