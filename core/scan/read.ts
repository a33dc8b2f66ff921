export { type AssetState, loadAssetState } from './asset-state.sql.ts';
export { storeLabelLook } from './observe-label.ts';
