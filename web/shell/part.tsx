import { type ReactNode, useEffect, useState } from 'react';
import { Failure } from '../design/failure.tsx';

/**
 * A part of a view whose script is loaded when it is first shown, or before by `load`. If that fails, it says so in its
 * place and can be tried again: `lazy` of React would keep the failure until the page is loaded again.
 * @param whileLoading what keeps its place
 */
export function part<Props extends object>(
  read: () => Promise<(props: Props) => ReactNode>,
  whileLoading: ReactNode = null,
) {
  let Loaded: ((props: Props) => ReactNode) | null = null;
  const load = async (): Promise<void> => {
    Loaded ??= await read();
  };
  // biome-ignore lint/correctness/noComponentHookFactories: modules make each part once
  function Part(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | { error: unknown }>('loading');
    useEffect(() => {
      if (state === 'loading')
        load().then(
          () => setState('loaded'),
          (error: unknown) => setState({ error }),
        );
    }, [state]);
    if (Loaded !== null) return <Loaded {...props} />;
    if (typeof state === 'string') return whileLoading;
    return (
      <div className="unloaded">
        <Failure error={state.error} onRetry={() => setState('loading')} />
      </div>
    );
  }
  return Object.assign(Part, { load });
}
