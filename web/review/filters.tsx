import { useCallback } from 'react';
import { AskedBecause, Severity } from '../../client/generated/service.schemas.ts';
import { Button } from '../design/button.tsx';
import { useTyped } from '../shell/typed.ts';
import { REASONS } from './answers.ts';
import { useReviewAddress } from './use-queue.ts';

type Option = readonly [value: string, name: string];

const SEVERITIES: readonly Option[] = [
  [Severity.critical, 'Critical'],
  [Severity.high, 'High'],
  [Severity.medium, 'Medium'],
  [Severity.low, 'Low'],
];
const WHYS: readonly Option[] = Object.values(AskedBecause).map((each) => [
  each,
  REASONS[each] ?? 'suggested by the model',
]);

/** Search and filters of the queue. All of them are in the address. */
export function Filters({ domains }: { domains: readonly Option[] }) {
  const { search, go } = useReviewAddress();
  const [typed, setTyped] = useTyped(
    search.q ?? '',
    useCallback((q) => go({ q, question: undefined }), [go]),
  );
  const choose = (name: 'domain' | 'severity' | 'why', all: string, options: readonly Option[]) => (
    <select
      className="input filter"
      aria-label={all}
      value={search[name] ?? ''}
      onChange={({ target }) => go({ [name]: target.value, question: undefined }, false)}
    >
      <option value="">{all}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <div className="filters">
      <input
        className="input filter"
        id="queue-search"
        type="search"
        placeholder="Search  /"
        aria-label="Search in the queue"
        aria-keyshortcuts="/"
        value={typed}
        maxLength={200}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {(domains.length > 1 || search.domain !== undefined) && choose('domain', 'All domains', domains)}
      {choose('severity', 'All risks', SEVERITIES)}
      {choose('why', 'All reasons', WHYS)}
      {search.type !== undefined && (
        <Button kind="plain" onClick={() => go({ type: undefined, question: undefined }, false)}>
          One type alone: show all types
        </Button>
      )}
    </div>
  );
}
