export { connectorFor } from './connector-for.ts';
export { findScope } from './scopes.sql.ts';
export { startScan } from './start-scan.ts';
