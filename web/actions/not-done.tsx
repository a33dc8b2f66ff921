import { isRefusal } from '../../client/refusal.ts';
import { Failure } from '../design/failure.tsx';
import { Notice } from '../design/notice.tsx';
import { forPeople } from '../design/refusal.ts';

/** An act that failed. After a conflict the present state is read again. */
export const NotDone = ({ error }: { error: unknown }) =>
  isRefusal(error, 'conflict') ? (
    <Notice tone="bad">
      <p className="strong">This was not done. {forPeople(error.message)}</p>
      <p className="dim">You see how it is now.</p>
    </Notice>
  ) : (
    <Failure error={error} />
  );
