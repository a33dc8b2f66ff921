import { useState } from 'react';
import { useAuthListPersonas, useAuthReportMode } from '../../client/generated/auth/auth.ts';
import { useHealthShowReadiness } from '../../client/generated/ready/ready.ts';
import { providerSignIn, signInAsPersona } from '../../client/sign-in.ts';
import { Failure } from '../design/failure.tsx';
import { Notice, Skeleton } from '../design/notice.tsx';

type Props = {
  onSignedIn: () => void;
  returnTo?: string;
  code?: string;
  /** The sign-in at the provider leaves this page alone. */
  opensTab?: boolean;
};

/** The way in that this deployment has: the identity provider, or in development a persona. */
export function SignInChoice(props: Props) {
  const mode = useAuthReportMode();
  if (mode.isPending) return <Skeleton />;
  if (mode.isError) return <Failure error={mode.error} onRetry={() => void mode.refetch()} />;
  return mode.data.authMode === 'dev' ? <Personas {...props} /> : <Provider {...props} />;
}

function Provider({ returnTo = '/', code, opensTab = false }: Props) {
  const ready = useHealthShowReadiness();
  if (ready.data?.integrations.idpSignIn === 'blocked') {
    return (
      <Notice tone="bad">
        <p className="strong">Sign-in is not set up.</p>
        <p>Ask the administrator of this service to set up the identity provider.</p>
      </Notice>
    );
  }
  const href = providerSignIn({
    returnTo: opensTab ? '/sign-in?returnTo=/' : returnTo,
    ...(code !== undefined && { code }),
  });
  return (
    <a
      className="button"
      data-kind="primary"
      href={href}
      {...(opensTab && { target: '_blank', rel: 'noreferrer' })}
    >
      Sign in with your organisation
    </a>
  );
}

const ROLES: Readonly<Record<string, string>> = {
  platform_admin: 'runs the service',
  governance_admin: 'governs',
  domain_owner: 'owns domains',
  remediation_approver: 'approves actions',
  auditor: 'audits',
};

function Personas({ onSignedIn }: Props) {
  const personas = useAuthListPersonas();
  const [failure, setFailure] = useState<unknown>(null);
  if (personas.isPending) return <Skeleton lines={6} />;
  if (personas.isError) return <Failure error={personas.error} onRetry={() => void personas.refetch()} />;
  const { items } = personas.data;
  if (items.length === 0) {
    return (
      <Notice tone="bad">
        <p className="strong">Nobody is known here.</p>
        <p>
          The database has no people: start the service with `npm start`, which makes a tenant for trying it.
        </p>
      </Notice>
    );
  }
  const enter = (principalId: string) =>
    // There is no session yet whose token could be asked for.
    signInAsPersona(principalId, { csrfToken: null }).then(onSignedIn, (error: unknown) => setFailure(error));
  return (
    <div className="stack">
      {failure !== null && <Failure error={failure} />}
      {[...Map.groupBy(items, ({ tenantId }) => tenantId)].map(([tenantId, people], _, tenants) => (
        <section key={tenantId} aria-label={`People of ${tenantId}`}>
          {tenants.length > 1 && <h3>{tenantId}</h3>}
          <ul className="personas">
            {people.map(({ principalId, displayName, title, roles }) => (
              <li key={principalId}>
                <button type="button" className="persona" onClick={() => void enter(principalId)}>
                  <span className="strong">{displayName}</span>
                  <span className="dim">{title}</span>
                  <span className="dim">{roles.map((role) => ROLES[role] ?? role).join(', ')}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
