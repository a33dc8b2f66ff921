import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

/** A dialog over the page: it holds the focus, and Escape closes it. Load it when it is opened first. */
export const Dialog = ({
  title,
  onClose,
  isDismissable = true,
  children,
}: {
  title: string;
  onClose: () => void;
  isDismissable?: boolean;
  children: ReactNode;
}) => (
  <ModalOverlay
    className="overlay"
    isOpen
    isDismissable={isDismissable}
    isKeyboardDismissDisabled={!isDismissable}
    onOpenChange={(isOpen) => {
      if (!isOpen) onClose();
    }}
  >
    <Modal className="modal">
      <AriaDialog className="dialog">
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
