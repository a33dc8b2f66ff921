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
