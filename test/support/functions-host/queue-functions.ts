import { app } from '@azure/functions';
import { gate, recorded } from './recorded.ts';

app.storageQueue('take', {
  queueName: 'incoming',
  connection: 'FixtureStorage',
  handler: async (body, context) => {
    recorded.messages.push({ body, metadata: { ...context.triggerMetadata } });
    const { fail = false, wait } = (typeof body === 'object' ? body : {}) as {
      fail?: boolean;
      wait?: string;
    };
    if (wait !== undefined) await gate(wait).promise;
    if (fail) throw new Error('not this time');
  },
});
