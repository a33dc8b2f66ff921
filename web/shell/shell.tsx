import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { signOut } from '../../client/sign-in.ts';
import { Button } from '../design/button.tsx';
import { Kbd } from '../design/kbd.tsx';
import { refusalOf } from '../design/refusal.ts';
import { useStored } from '../design/stored.ts';
import { THEMES, type Theme, theme } from '../design/theme.ts';
import { useKeptFocus } from './kept-focus.ts';
import { singleKeysOf, useKeys } from './keys.ts';
import { NotYours } from './not-found.tsx';
import { part } from './part.tsx';
import { sayGoodbye, sessionEnded, useMe } from './session.ts';
import { isForOthers, VIEWS } from './views.ts';

const KeyList = part(async () => (await import('./key-list.tsx')).KeyList);
const SessionEnded = part(async () => (await import('./session-ended.tsx')).SessionEnded);

/** What is around every view: where one is, where one can go, and who one is. */
export function Shell() {
  const me = useMe();
  const navigate = useNavigate();
  const [showsKeys, setShowsKeys] = useState(false);
  const hasEnded = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.get);
  singleKeysOf(me.principalId);
  // They are there when they are needed, also without a connection.
  useEffect(() => {
    const load = () => void Promise.all([KeyList.load(), SessionEnded.load()]).catch(() => undefined);
    const timer = setTimeout(load, 2_000);
    return () => clearTimeout(timer);
  }, []);
  useKeys(
    { '?': () => setShowsKeys(true) },
    Object.fromEntries(
      VIEWS.filter(({ has }) => has(me)).map(({ key, to }) => [key, () => void navigate({ to })]),
    ),
  );
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <div className="shell">
        <Navigation onKeys={() => setShowsKeys(true)} />
        <Content />
      </div>
      {showsKeys && <KeyList me={me} onClose={() => setShowsKeys(false)} />}
      {hasEnded && <SessionEnded />}
    </>
  );
}

/** The view. After a change of view the focus is at its beginning, as after a page load. */
function Content() {
  const me = useMe();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const content = useRef<HTMLElement>(null);
  const before = useRef(path);
  useKeptFocus(content);
  useEffect(() => {
    if (before.current !== path) content.current?.focus();
    before.current = path;
  }, [path]);
  return (
    <main id="content" ref={content} tabIndex={-1}>
      {isForOthers(me, path) ? <NotYours /> : <Outlet />}
    </main>
  );
}

function Navigation({ onKeys }: { onKeys: () => void }) {
  const me = useMe();
  const { displayName, title, authMode } = me;
  return (
    <header className="side">
      <div className="brand">Governance</div>
      {authMode === 'dev' && (
        <p className="banner">Development sign-in. Everybody on this machine can be anybody.</p>
      )}
      <nav aria-label="Main">
        {VIEWS.filter(({ has }) => has(me)).map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="who">
        <p>
          <span className="strong">{displayName}</span>
          <br />
          {title}
        </p>
        <ThemeChoice />
        <div className="row">
          <Button kind="plain" onClick={onKeys}>
            Keys <Kbd>?</Kbd>
          </Button>
          <SignOut />
        </div>
      </div>
    </header>
  );
}

const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const chosen = useStored(theme);
  return (
    <select
      className="theme"
      aria-label="Theme"
      value={chosen}
      onChange={({ target }) => theme.set(THEMES.find((each) => each === target.value) ?? 'system')}
    >
      {THEMES.map((each) => (
        <option key={each} value={each}>
          {NAMES[each]}
        </option>
      ))}
    </select>
  );
}

function SignOut() {
  const client = useQueryClient();
  const router = useRouter();
  const [error, setError] = useState<unknown>(null);
  const leave = async () => {
    let atProvider: string | null;
    try {
      atProvider = await signOut();
    } catch (refused) {
      // The session may go on.
      setError(refused);
      return;
    }
    sayGoodbye();
    client.clear();
    if (atProvider !== null) location.replace(atProvider);
    else await router.navigate({ to: '/sign-in', search: {}, replace: true });
  };
  return (
    <>
      <Button kind="plain" onClick={() => void leave()}>
        Sign out
      </Button>
      {error !== null && <div role="alert">You are not signed out. {refusalOf(error).title}</div>}
    </>
  );
}
