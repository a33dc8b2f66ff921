export { assetsByScope, DomainPostureSchema, domainPostures } from './cells.sql.ts';
