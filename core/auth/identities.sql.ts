import type { AuditEntry } from '../audit/event.ts';
import { type Statement, sql } from '../db/sql.ts';
import { type Db, lookup, type Tx } from '../db/tx.ts';
import { newId, type PrincipalId, type TenantId } from '../kernel/ids.ts';
import type { Role, SignInRefusal } from '../kernel/vocabulary.ts';
import { type Identity, isMicrosoft } from './claims.ts';
import { grantRoles, storeClaimedRoles } from './grants.sql.ts';

/** The tenant whose people the issuer signs in; null where no tenant is bound to it. */
export async function tenantOfIssuer(db: Db, issuer: string): Promise<TenantId | null> {
  const row = await lookup<{ tenantId: TenantId | null }>(
    db,
    sql`select tenant_of_issuer(${issuer}) as "tenantId"`,
  );
  return row?.tenantId ?? null;
}

type Bound = {
  principalId: PrincipalId;
  status: 'active' | 'disabled';
  kind: 'person' | 'service';
  displayName: string;
  email: string | null;
};

const bound = sql`principal_id as "principalId", status, kind, display_name as "displayName", email`;

export type Recognition =
  | { principalId: PrincipalId; refused: null }
  | { principalId: PrincipalId | null; refused: SignInRefusal };

/**
 * Finds or makes the principal of a verified identity, and brings the roles up to date that the provider claims. Who is
 * refused is refused after that, so that a role that the provider took away is gone in any case.
 * @param codeHash SHA-256 of a setup code or invitation that came along
 * @param claimed null where the deployment maps no claims to roles
 * @param audit takes what happened, for the chain
 */
export async function recognise(
  tx: Tx,
  identity: Identity,
  { codeHash, claimed }: { codeHash: Buffer | null; claimed: readonly Role[] | null },
  audit: (entry: AuditEntry) => void,
  now: number,
): Promise<Recognition> {
  const known = await findByIdentity(tx, identity);
  const entered = codeHash === null ? null : await enter(tx, identity, known, codeHash, audit, now);
  if (entered !== null && 'refused' in entered)
    return { principalId: known?.principalId ?? null, refused: entered.refused };
  const person =
    entered ??
    known ??
    (await bindFromDirectory(tx, identity, audit)) ??
    (claimed !== null && claimed.length > 0 ? await insertPerson(tx, identity, 'claims', audit, now) : null);
  if (person === null || person.kind === 'service') return { principalId: null, refused: 'no_access' };
  const { principalId } = person;
  await storeClaimedRoles(tx, { principalId, roles: claimed ?? [] }, audit, now);
  await showAs(tx, person, identity);
  await noteDirectoryId(tx, principalId, identity);
  if (person.status === 'disabled') return { principalId, refused: 'deactivated' };
  return (await holdsRole(tx, principalId))
    ? { principalId, refused: null }
    : { principalId, refused: 'no_access' };
}

async function findByIdentity(tx: Tx, { issuer, subject }: Identity): Promise<Bound | null> {
  const [row] = await tx.query<Bound>(sql`
    select ${bound} from principals
     where tenant_id = ${tx.tenantId} and idp_issuer = ${issuer} and idp_subject = ${subject} for no key update`);
  return row ?? null;
}

/**
 * Somebody whom the directory names, and whom the identity may be bound to: they have not signed in yet, or they are
 * known by the subject of another application, which at Microsoft is another subject of the same person.
 */
const isBindable = ({ issuer, directoryId }: Identity): Statement => sql`
  directory_id = ${directoryId} and kind = 'person'
  and (idp_subject is null or (idp_issuer = ${issuer} and ${isMicrosoft(issuer)}))`;

async function findInDirectory(tx: Tx, identity: Identity): Promise<Bound | null> {
  const [row] = await tx.query<Bound>(sql`
    select ${bound} from principals
     where tenant_id = ${tx.tenantId} and ${isBindable(identity)}
       for no key update`);
  return row ?? null;
}

/** Uses a setup code or an invitation. */
async function enter(
  tx: Tx,
  identity: Identity,
  known: Bound | null,
  codeHash: Buffer,
  audit: (entry: AuditEntry) => void,
  now: number,
): Promise<Bound | { refused: SignInRefusal }> {
  const [code] = await tx.query<{ invited: PrincipalId | null }>(sql`
    select principal_id as invited from sign_in_codes
     where tenant_id = ${tx.tenantId} and code_hash = ${codeHash} and used_at is null and expires_at > ${new Date(now)}
       for update`);
  if (code === undefined) return { refused: 'code_invalid' };
  let person: Bound;
  if (code.invited === null) {
    // Whoever may not enter uses up no code.
    if (known?.kind === 'service') return { refused: 'no_access' };
    if (known?.status === 'disabled') return { refused: 'deactivated' };
    person =
      known ??
      (await bindFromDirectory(tx, identity, audit)) ??
      (await insertPerson(tx, identity, 'setup_code', audit, now));
    const grant = { principalId: person.principalId, roles: ['platform_admin'], grantedBy: null } as const;
    await grantRoles(tx, grant, audit, now);
  } else {
    const already = known ?? (await findInDirectory(tx, identity));
    if (already !== null && already.principalId !== code.invited) return { refused: 'identity_in_use' };
    const invited = known ?? (await bindInvited(tx, code.invited, identity, audit));
    if (invited === null) return { refused: 'code_invalid' };
    person = invited;
  }
  await tx.execute(sql`
    update sign_in_codes set used_at = ${new Date(now)}, used_by = ${person.principalId}
     where tenant_id = ${tx.tenantId} and code_hash = ${codeHash}`);
  audit({
    category: 'auth',
    type: code.invited === null ? 'setup_code_used' : 'invitation_used',
    target: { kind: 'principal', id: person.principalId },
  });
  return person;
}

async function bindInvited(
  tx: Tx,
  principalId: PrincipalId,
  identity: Identity,
  audit: (entry: AuditEntry) => void,
): Promise<Bound | null> {
  const [row] = await tx.query<Bound>(sql`
    update principals p set idp_issuer = ${identity.issuer}, idp_subject = ${identity.subject}
     where p.tenant_id = ${tx.tenantId} and p.principal_id = ${principalId} and p.idp_subject is null
       and p.kind = 'person'
    returning ${bound}`);
  if (row !== undefined) audit(identityBound(principalId, 'invitation'));
  return row ?? null;
}

/** Binds the person of `findInDirectory`. */
async function bindFromDirectory(
  tx: Tx,
  identity: Identity,
  audit: (entry: AuditEntry) => void,
): Promise<Bound | null> {
  const [row] = await tx.query<Bound>(sql`
    update principals set idp_issuer = ${identity.issuer}, idp_subject = ${identity.subject}
     where tenant_id = ${tx.tenantId} and ${isBindable(identity)}
    returning ${bound}`);
  if (row !== undefined) audit(identityBound(row.principalId, 'directory'));
  return row ?? null;
}

/** Of two first sign-ins at once, the second one finds the person that the first one made. */
async function insertPerson(
  tx: Tx,
  identity: Identity,
  by: 'setup_code' | 'claims',
  audit: (entry: AuditEntry) => void,
  now: number,
): Promise<Bound> {
  const principalId = newId('pri', now) as PrincipalId;
  const made = await tx.execute(sql`
    insert into principals (tenant_id, principal_id, display_name, email, idp_issuer, idp_subject, directory_id,
                            created_at)
    values (${tx.tenantId}, ${principalId}, ${identity.displayName || 'No name'}, ${identity.email},
            ${identity.issuer}, ${identity.subject}, ${identity.directoryId}, ${new Date(now)})
    on conflict do nothing`);
  if (made === 1) {
    audit({ ...registered(principalId), details: { source: by } });
    audit(identityBound(principalId, by));
  }
  const person = (await findByIdentity(tx, identity)) ?? (await bindFromDirectory(tx, identity, audit));
  if (person === null) throw new Error('The identity and its directory id belong to two principals');
  return person;
}

const registered = (principalId: string) =>
  ({
    category: 'config',
    type: 'principal_registered',
    target: { kind: 'principal', id: principalId },
  }) as const;

const identityBound = (principalId: string, by: string): AuditEntry => ({
  category: 'auth',
  type: 'identity_bound',
  target: { kind: 'principal', id: principalId },
  details: { by },
});

/** Name and address as the provider has them now. They are displayed and decide nothing. */
async function showAs(tx: Tx, person: Bound, { displayName, email }: Identity): Promise<void> {
  const name = displayName || person.displayName;
  const address = email ?? person.email;
  if (name === person.displayName && address === person.email) return;
  await tx.execute(sql`
    update principals set display_name = ${name}, email = ${address}
     where tenant_id = ${tx.tenantId} and principal_id = ${person.principalId}`);
}

/** Somebody who was registered by their subject is the person whom the directory names by this id. */
async function noteDirectoryId(tx: Tx, principalId: PrincipalId, { directoryId }: Identity): Promise<void> {
  await tx.execute(sql`
    update principals p set directory_id = ${directoryId}
     where p.tenant_id = ${tx.tenantId} and p.principal_id = ${principalId} and p.directory_id is null
       and not exists (select from principals o
                        where o.tenant_id = ${tx.tenantId} and o.directory_id = ${directoryId})`);
}

async function holdsRole(tx: Tx, principalId: PrincipalId): Promise<boolean> {
  const rows = await tx.query(sql`
    select from principal_roles
     where tenant_id = ${tx.tenantId} and principal_id = ${principalId} limit 1`);
  return rows.length > 0;
}
