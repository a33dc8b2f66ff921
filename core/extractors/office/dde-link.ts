/** Whom a link asks and for what (Dynamic Data Exchange), as a formula writes it; empty parts are left out. */
export const ddeText = (service: string, topic: string, item: string): string =>
  [[service, topic].filter((part) => part !== '').join('|'), item].filter((part) => part !== '').join('!');
