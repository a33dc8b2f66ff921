export { connectorFor } from './connector-for.ts';
export { LABEL_WRITE_BLOCKS, type LabelWriteBlock, labelWriterFor } from './label-writer-for.ts';
export { ScopeSchema } from './scope-schema.ts';
export { findScope } from './scopes.sql.ts';
export { shownScopes } from './shown-scopes.ts';
export { scanStarted, startScan } from './start-scan.ts';
export { tenantsWithScopes } from './tenants.sql.ts';
