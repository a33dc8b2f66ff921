export { ContentStateSchema, LabelStateSchema } from './asset-schema.ts';
export { ExcerptSchema, readExcerpts } from './excerpts.sql.ts';
export { AssertionSchema, readProvenance } from './provenance.sql.ts';
export { visibleAsset, visibleScope } from './visibility.sql.ts';
