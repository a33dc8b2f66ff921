import type { ComponentProps } from 'react';

type Props = ComponentProps<'button'> & { kind?: 'primary' | 'usual' | 'plain' };

/** A button. It is plain HTML, so that the first view needs no library of behaviour. */
export const Button = ({ kind = 'usual', className, type = 'button', ...rest }: Props) => (
  <button
    type={type}
    className={className === undefined ? 'button' : `button ${className}`}
    data-kind={kind}
    {...rest}
  />
);

type ActProps = Omit<Props, 'disabled' | 'onClick'> & { isBusy: boolean; onAct: () => void };

/** A button that sends something. It cannot be pressed while that goes on; a double click is one act. */
export const ActButton = ({ isBusy, onAct, ...rest }: ActProps) => (
  <Button disabled={isBusy} onClick={({ detail }) => detail < 2 && onAct()} {...rest} />
);
