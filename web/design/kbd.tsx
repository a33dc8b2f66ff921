/** A key. Screen readers learn it from `aria-keyshortcuts` of what it does. */
export const Kbd = ({ children }: { children: string }) => (
  <span aria-hidden="true">
    <kbd>{children}</kbd>
  </span>
);
