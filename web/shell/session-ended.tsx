import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SignInChoice } from '../auth/sign-in-choice.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { readAgain } from './query-client.ts';
import { meQuery, sessionEnded, useMe } from './session.ts';

/**
 * The session ended while somebody worked. They sign in over the page, so that what they have typed stays. The page
 * begins again if it is somebody else.
 */
export function SessionEnded() {
  const before = useMe();
  const client = useQueryClient();
  useQuery({ ...meQuery, enabled: false });
  const goOn = async () => {
    const me = await client.fetchQuery({ ...meQuery, staleTime: 0 });
    if (me === null) return;
    if (me.principalId !== before.principalId) {
      location.replace('/');
      return;
    }
    sessionEnded.set(false);
    await readAgain();
  };
  return (
    <Dialog title="Your session has ended" isDismissable={false} onClose={() => undefined}>
      <p>Sign in again to go on. What you have typed is kept.</p>
      <SignInChoice onSignedIn={() => void goOn()} opensTab />
      <div className="row">
        <Button onClick={() => void goOn()}>I have signed in</Button>
      </div>
    </Dialog>
  );
}
