import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAuthReportMode } from '../../client/generated/auth/auth.ts';
import { meQuery } from '../shell/session.ts';
import './sign-in.css';
import { SignInChoice } from './sign-in-choice.tsx';

/** Paths of the console alone: `//host` and others would lead elsewhere. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in');

export function SignIn() {
  const { returnTo = '/', code } = useSearch({ from: '/sign-in' });
  const target = isOwnPath(returnTo) ? returnTo : '/';
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery(meQuery);
  const { data: mode } = useAuthReportMode();
  useEffect(() => {
    document.title = 'Sign in · Governance';
  }, []);
  if (me.data) return <Navigate to={target} replace />;
  const enter = async () => {
    await client.fetchQuery({ ...meQuery, staleTime: 0 });
    await navigate({ to: target, replace: true });
  };
  return (
    <>
      {mode?.devBannerRequired === true && (
        <header className="banner">Development sign-in. Everybody on this machine can be anybody.</header>
      )}
      <main className="sign-in">
        <div className="stack">
          <h1>Governance</h1>
          <p className="lead">Which documents are yours, who can open them, and what to do about it.</p>
        </div>
        <div className="card stack">
          <h2>{mode?.authMode === 'dev' ? 'Who are you today?' : 'Sign in'}</h2>
          <SignInChoice
            onSignedIn={() => void enter()}
            returnTo={target}
            {...(code !== undefined && { code })}
          />
        </div>
      </main>
    </>
  );
}
