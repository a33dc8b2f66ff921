export { assetsSeenIn, DomainPostureSchema, domainPostures } from './cells.sql.ts';
