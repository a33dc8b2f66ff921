export { assetsByScope, DomainPostureSchema, domainPostures } from './cells.sql.ts';
export { DomainWithoutOwnerSchema, domainsWithoutOwner } from './domains-without-owner.sql.ts';
