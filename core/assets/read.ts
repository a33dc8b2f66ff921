export { assetById } from './asset-by-id.sql.ts';
export { listAssets } from './asset-list.sql.ts';
export {
  AssetFilterSchema,
  type AssetSummary,
  ContentStateSchema,
  LabelStateSchema,
  RiskSeveritySchema,
} from './asset-schema.ts';
export { ExcerptSchema, readExcerpts } from './excerpts.sql.ts';
export type { AssetPlace } from './newest-placements.sql.ts';
export { AssertionSchema, readProvenance } from './provenance.sql.ts';
export { isSameContent, judgedContentVersion, lookedAtContentVersion } from './same-content.sql.ts';
export { tyingCandidate, visibleAsset, visibleScope } from './visibility.sql.ts';
