/** The address of a DDE link (Dynamic Data Exchange) in formula notation, without empty parts. */
export const ddeText = (service: string, topic: string, item: string): string =>
  [[service, topic].filter((part) => part !== '').join('|'), item].filter((part) => part !== '').join('!');
