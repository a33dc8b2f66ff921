import { app } from '@azure/functions';
import { gate, recorded } from './recorded.ts';

const seen = (name: string, timer: { isPastDue: boolean; scheduleStatus: unknown }) => {
  recorded.timers.push({ name, isPastDue: timer.isPastDue, scheduleStatus: timer.scheduleStatus });
};

app.timer('every-hour', {
  schedule: '0 0 * * * *',
  handler: async (timer) => seen('every-hour', timer),
});
app.timer('at-start', {
  schedule: '0 0 0 1 1 *',
  runOnStartup: true,
  handler: async (timer) => seen('at-start', timer),
});
app.timer('by-setting', {
  schedule: '%FIXTURE_SCHEDULE%',
  handler: async (timer) => {
    seen('by-setting', timer);
    throw new Error('the schedule goes on');
  },
});
app.timer('slow', {
  schedule: '*/10 * * * * *',
  handler: async (timer) => {
    seen('slow', timer);
    await gate('slow').promise;
  },
});
