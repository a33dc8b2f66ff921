export { connectorFor } from './connector-for.ts';
export { findScope } from './scopes.sql.ts';
export { scanStarted, startScan } from './start-scan.ts';
