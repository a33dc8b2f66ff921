import {
  getAssetsFacetsQueryOptions,
  getAssetsListQueryOptions,
} from '../../client/generated/assets/assets.ts';
import {
  AskedExposure,
  type AssetsListParams,
  AssetsListSort,
  ContentState,
  LabelState,
  Severity,
} from '../../client/generated/service.schemas.ts';
import type { AssetSearch } from '../shell/routes.tsx';
import { member } from '../shell/search.ts';

/** The filters of the address as the service takes them. Others are left out. */
export function assetFilter(search: AssetSearch): AssetsListParams {
  const { q, domain, type, scope, format } = search;
  const values = {
    q,
    domainId: domain,
    informationTypeId: type,
    scopeId: scope,
    fileFormat: format,
    riskSeverity: member(Severity, search.severity),
    labelState: member(LabelState, search.label),
    exposure: member(AskedExposure, search.exposure),
    contentState: member(ContentState, search.content),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The files under the filters of the address, in its order. What is searched for comes by how well it matches. */
export function listParams(search: AssetSearch): AssetsListParams {
  const sort = search.q === undefined ? member(AssetsListSort, search.sort) : undefined;
  return { ...assetFilter(search), ...(sort !== undefined && { sort }) };
}

export const listQuery = (search: AssetSearch) => getAssetsListQueryOptions(listParams(search));

export const facetsQuery = (search: AssetSearch) => getAssetsFacetsQueryOptions(assetFilter(search));
