import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import { isIdentifier, isMicrosoft } from '../auth/claims.ts';
import { grantRoles, revokeRoles } from '../auth/grants.sql.ts';
import { revokeAllSessions } from '../auth/session-list.sql.ts';
import { PRINCIPAL_KINDS } from '../authz/principal.ts';
import { violatedConstraint } from '../db/errors.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { ROLES, type Role } from '../kernel/vocabulary.ts';
import {
  IDENTITY_STATES,
  insertPrincipal,
  issuerOfTenant,
  type ListedPrincipal,
  lockPrincipal,
  PRINCIPAL_STATUSES,
  ROLE_SOURCES,
  setStatus,
  storeCode,
} from './principals.sql.ts';

const INVITATION_HOURS = 72;
const SETUP_CODE_HOURS = 1;
const HOUR_MS = 3_600_000;
/** 160 bits. */
const CODE_BYTES = 20;

const Roles = z
  .array(z.enum(ROLES))
  .max(ROLES.length)
  .transform((roles) => [...new Set(roles)].sort());

/** Exactly one of `subject` and `invite`, told apart so that a person is never known by nothing. */
export const RegistrationSchema = z
  .strictObject({
    kind: z.enum(PRINCIPAL_KINDS).default('person'),
    displayName: z.string().trim().min(1).max(200),
    title: z.string().trim().max(200).default(''),
    department: z.string().trim().max(200).default(''),
    issuer: z
      .url()
      .max(2_048)
      .optional()
      .describe('Default: the issuer that the tenant is bound to, and no other'),
    subject: z
      .string()
      .min(1)
      .max(255)
      .refine(isIdentifier, 'Contains a character that no subject has.')
      .optional()
      .describe('The `sub` of their tokens'),
    invite: z.boolean().default(false).describe('Make an invitation, which binds who signs in with it'),
    roles: Roles.default([]),
  })
  .refine(({ subject, invite }) => (subject !== undefined) !== invite, {
    path: ['subject'],
    message: 'Name the subject, or set invite to true.',
  })
  .refine(({ kind, invite }) => kind === 'person' || !invite, {
    path: ['invite'],
    message: 'An application cannot be invited. Name the subject of its tokens.',
  })
  .refine(({ issuer, invite }) => issuer === undefined || !invite, {
    path: ['issuer'],
    message: 'An invitation takes the issuer from the sign-in.',
  });
export type Registration = z.infer<typeof RegistrationSchema>;

export const RoleChangeSchema = z.strictObject({ roles: Roles });

export const PrincipalSchema = z.object({
  principalId: z.string(),
  kind: z.enum(PRINCIPAL_KINDS),
  displayName: z.string(),
  title: z.string(),
  department: z.string(),
  email: z.string().nullable(),
  status: z.enum(PRINCIPAL_STATUSES),
  roles: z.array(z.object({ role: z.enum(ROLES), source: z.enum(ROLE_SOURCES) })),
  identity: z.enum(IDENTITY_STATES),
  lastSignInAt: z.iso.datetime().nullable(),
});

export const InvitationSchema = z.object({ code: z.string(), expiresAt: z.iso.datetime() });

/** Who changes somebody. `principalId` is null at a terminal. */
export type Actor = { principalId: PrincipalId | null; now: number; audit(entry: AuditEntry): void };

/** The list and its export have the same filter. */
export const PrincipalFilterSchema = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Part of name, title, department or e-mail address'),
  role: z.enum(ROLES).optional(),
  source: z.enum(ROLE_SOURCES).optional(),
  status: z.enum(PRINCIPAL_STATUSES).optional(),
  kind: z.enum(PRINCIPAL_KINDS).optional(),
  domainId: z
    .string()
    .max(64)
    .optional()
    .describe('Who is assigned to this domain. None for a caller who may not read the taxonomy'),
});

/** As a list shows somebody. */
export const shownPrincipal = ({
  lastSignInAt,
  ...principal
}: ListedPrincipal): z.input<typeof PrincipalSchema> => ({
  ...principal,
  lastSignInAt: lastSignInAt?.toISOString() ?? null,
});

/** The code of an invitation or a setup code. It is shown once; only its hash is kept. */
const newCode = () => randomBytes(CODE_BYTES).toString('base64url');

/**
 * Registers a person or an application that has not signed in yet. `code` is null without an invitation. Throws
 * `conflict` where somebody has the identity, and `validation_failed` for an issuer that is not the tenant's.
 */
export async function registerPrincipal(
  tx: Tx,
  actor: Actor,
  { issuer, subject, invite, roles, ...who }: Registration,
): Promise<{ principalId: PrincipalId; invitation: z.infer<typeof InvitationSchema> | null }> {
  const own = await issuerOfTenant(tx);
  if (subject !== undefined && own === null)
    throw validationFailed([{ path: 'subject', message: 'The tenant is bound to no identity provider.' }]);
  if (issuer !== undefined && issuer !== own)
    throw validationFailed([
      { path: 'issuer', message: 'The tenant is bound to another identity provider.' },
    ]);
  const identity =
    subject === undefined || own === null
      ? null
      : { issuer: own, subject, directoryId: isMicrosoft(own) ? null : subject };
  const principalId = await insertPrincipal(tx, { ...who, identity }, actor.now);
  if (principalId === null)
    throw new ServiceError('conflict', 'Somebody is known by this issuer and subject already.');
  actor.audit({
    category: 'config',
    type: 'principal_registered',
    target: { kind: 'principal', id: principalId },
    details: { source: invite ? 'invitation' : 'subject', kind: who.kind },
  });
  await grantRoles(tx, { principalId, roles, grantedBy: actor.principalId }, actor.audit, actor.now);
  return { principalId, invitation: invite ? await inviteLocked(tx, actor, principalId) : null };
}

/** Makes a new invitation for a person who has not signed in yet. Earlier ones end. Throws `not_found` and `conflict`. */
export async function invitePrincipal(
  tx: Tx,
  actor: Actor,
  principalId: string,
): Promise<z.infer<typeof InvitationSchema>> {
  const principal = await lockPrincipal(tx, principalId);
  if (principal === null) throw notFound();
  if (principal.status === 'disabled')
    throw new ServiceError('conflict', 'This person is deactivated. Reactivate them first.');
  if (principal.isBound || principal.kind === 'service')
    throw new ServiceError('conflict', 'This principal is bound to an identity already.');
  return inviteLocked(tx, actor, principalId);
}

/** Makes a setup code: the first person who signs in with it becomes platform admin. */
export async function makeSetupCode(tx: Tx, actor: Actor): Promise<string> {
  const code = newCode();
  const expiresAt = new Date(actor.now + SETUP_CODE_HOURS * HOUR_MS);
  await storeCode(tx, code, { principalId: null, createdBy: null, expiresAt }, actor.now);
  actor.audit({ category: 'config', type: 'setup_code_made' });
  return code;
}

async function inviteLocked(tx: Tx, actor: Actor, principalId: string) {
  const code = newCode();
  const expiresAt = new Date(actor.now + INVITATION_HOURS * HOUR_MS);
  await storeCode(tx, code, { principalId, createdBy: actor.principalId, expiresAt }, actor.now);
  actor.audit({
    category: 'config',
    type: 'principal_invited',
    target: { kind: 'principal', id: principalId },
  });
  return { code, expiresAt: expiresAt.toISOString() };
}

/**
 * Gives a principal exactly these roles, apart from those that the identity provider claims. Throws `not_found`, and
 * `conflict` for the actor's own roles and for the last platform admin.
 */
export async function setRoles(
  tx: Tx,
  actor: Actor,
  principalId: string,
  roles: readonly Role[],
): Promise<void> {
  const principal = await lockPrincipal(tx, principalId);
  if (principal === null) throw notFound();
  refuseOneself(actor, principalId, 'Nobody changes their own roles. Ask another platform administrator.');
  const revoked = principal.granted.filter((role) => !roles.includes(role));
  await keepingAnAdmin(async () => {
    await grantRoles(tx, { principalId, roles, grantedBy: actor.principalId }, actor.audit, actor.now);
    await revokeRoles(tx, { principalId, roles: revoked }, actor.audit);
  });
}

/**
 * Deactivates somebody: their sessions end, and their domains count as orphaned. Nothing is deleted. Somebody who is
 * deactivated already stays so. Throws `not_found`, and `conflict` for oneself and for the last platform admin.
 */
export async function deactivatePrincipal(tx: Tx, actor: Actor, principalId: string): Promise<void> {
  const principal = await lockPrincipal(tx, principalId);
  if (principal === null) throw notFound();
  refuseOneself(actor, principalId, 'Nobody deactivates themselves. Ask another platform administrator.');
  if (principal.status === 'disabled') return;
  await keepingAnAdmin(() => setStatus(tx, principalId, 'disabled'));
  await revokeAllSessions(tx, principalId, actor.now);
  actor.audit(changed('principal_deactivated', principalId));
}

/** Throws `not_found`. */
export async function reactivatePrincipal(tx: Tx, actor: Actor, principalId: string): Promise<void> {
  const principal = await lockPrincipal(tx, principalId);
  if (principal === null) throw notFound();
  if (principal.status === 'active') return;
  await setStatus(tx, principalId, 'active');
  actor.audit(changed('principal_reactivated', principalId));
}

const changed = (type: string, principalId: string): AuditEntry => ({
  category: 'config',
  type,
  target: { kind: 'principal', id: principalId },
});

function refuseOneself(actor: Actor, principalId: string, message: string): void {
  if (actor.principalId === principalId) throw new ServiceError('conflict', message);
}

/** The database refuses to remove the last platform admin, also of two removals at once. */
async function keepingAnAdmin(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (violatedConstraint(error) !== 'platform_admin_kept') throw error;
    throw new ServiceError('conflict', 'A tenant keeps at least one active platform administrator.');
  }
}
