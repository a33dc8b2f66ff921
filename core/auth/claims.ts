import { displayText } from '../kernel/display-text.ts';
import type { Role } from '../kernel/vocabulary.ts';

/** Claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** A person as the identity provider knows them. Only issuer, subject and `directoryId` recognise anybody. */
export type Identity = {
  issuer: string;
  subject: string;
  /** The immutable id of the person in the organisation's directory. */
  directoryId: string;
  /** Empty where the provider reports none. */
  displayName: string;
  email: string | null;
};

/** Longer ones are no identifiers, and no index holds them. */
const MAX_ID = 255;
/** The database refuses NUL, and cannot tell halves of characters from each other. */
const NOT_OF_IDS = /[\p{Cc}\p{Cs}]/u;

/** Whether a subject or an id of a directory can be kept as it is. */
export const isIdentifier = (text: string): boolean =>
  text !== '' && text.length <= MAX_ID && !NOT_OF_IDS.test(text);

/** The hosts whose tokens name the person in the directory by `oid`, and by another `sub` for each application. */
const MICROSOFT = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
]);

export const isMicrosoft = (issuer: string): boolean => {
  const { hostname } = new URL(issuer);
  return MICROSOFT.has(hostname) || hostname.endsWith('.ciamlogin.com');
};

/** Google signs people in by the id that its directory has for them. */
export const isGoogle = (issuer: string): boolean => new URL(issuer).hostname === 'accounts.google.com';

/** Null where the claims name nobody: no subject, or one that cannot be kept as it is. */
export function identityIn(claims: Claims): Identity | null {
  const issuer = text(claims.iss);
  const subject = text(claims.sub);
  if (issuer === '' || !isIdentifier(subject)) return null;
  const directoryId = isMicrosoft(issuer) ? text(claims.oid) : subject;
  if (!isIdentifier(directoryId)) return null;
  const email = shown(claims.email);
  return {
    issuer,
    subject,
    directoryId,
    displayName: shown(claims.name),
    email: email === '' ? null : email,
  };
}

/** How providers name the application that a token was issued to. */
const CLIENT = ['client_id', 'azp', 'appid', 'cid'];

/**
 * Whether a person let the application act for them. Without a scope nobody agreed to anything. An application that acts
 * in its own name may have a scope as well, and where applications choose their ids, its id may be that of a person.
 */
export function isDelegated(claims: Claims): boolean {
  const isAppOnly =
    claims.idtyp === 'app' ||
    claims.gty === 'client-credentials' ||
    CLIENT.some((name) => claims[name] !== undefined && claims[name] === claims.sub);
  return (
    !isAppOnly && [...list(claims.scp), ...list(claims.scope)].some((scope) => text(scope).trim() !== '')
  );
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const shown = (value: unknown): string => displayText(text(value));

export type RoleMapping = readonly { claim: string; role: Role }[];

/**
 * The roles that the app roles (`roles`) and groups (`groups`) of a token give by the deployment's mapping. `unknown`
 * where the provider left groups out because there are too many, so that nobody can know.
 */
export function claimedRoles(claims: Claims, mapping: RoleMapping): readonly Role[] | 'unknown' {
  const names = claims._claim_names;
  const isOverage =
    claims.hasgroups === true ||
    claims.hasgroups === 'true' ||
    (typeof names === 'object' && names !== null && Object.hasOwn(names, 'groups'));
  if (isOverage) return 'unknown';
  const values = new Set([...list(claims.roles), ...list(claims.groups)]);
  return [...new Set(mapping.filter(({ claim }) => values.has(claim)).map(({ role }) => role))].sort();
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
