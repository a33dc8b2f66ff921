/** The part of an error that one thread can hand to another. */
export type ThrownInThread = { name: string; message: string; stack: string | undefined };

export const thrownInThread = (thrown: unknown): ThrownInThread =>
  thrown instanceof Error
    ? { name: thrown.name, message: thrown.message, stack: thrown.stack }
    : { name: 'Error', message: String(thrown), stack: undefined };

/** A bug of the service that showed in another thread, with the class, the message and the stack that it had there. */
export class ThreadFault extends Error {
  constructor({ name, message, stack }: ThrownInThread) {
    super(message);
    this.name = name;
    if (stack !== undefined) this.stack = stack;
  }
}
