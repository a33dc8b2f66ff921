import { heading, paragraph, table } from '../business-document.ts';
import { person, product, recently } from '../people.ts';
import type { Template } from './template.ts';

export const newsletter: Template = (r) => ({
  title: `Nordwind news, issue ${r.int(10, 90)}`,
  blocks: [
    paragraph(
      `Summer party on ${recently(r)}, running group every Thursday, ${r.int(3, 9)} new colleagues this month.`,
    ),
    paragraph(`Our ${product(r)} won a design award. Read the story on the public website.`),
  ],
});

export const canteenMenu: Template = (r) => ({
  title: 'Canteen menu',
  blocks: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'].map((day) =>
    paragraph(
      `${day}: ${r.pick(['vegetable curry', 'fish and potatoes', 'pasta with mushrooms', 'lentil soup'])}, salad, fruit`,
    ),
  ),
});

export const meetingMinutes: Template = (r) => ({
  title: `Minutes of the ${r.pick(['facility', 'works council', 'sustainability'])} meeting, ${recently(r)}`,
  blocks: [
    paragraph(`Present: ${person(r).name}, ${person(r).name}, ${person(r).name}.`),
    heading('Topics'),
    paragraph(
      `New bicycle stands, ${r.pick(['meeting room booking', 'energy saving', 'recycling bins'])}, opening hours of the canteen.`,
    ),
    heading('Actions'),
    paragraph(`${person(r).name} asks for quotes until ${recently(r)}.`),
  ],
});

export const acta: Template = (r) => ({
  title: `Acta de la reunión de oficina, ${recently(r)}`,
  blocks: [
    paragraph(`Asistentes: ${person(r).name}, ${person(r).name}. Se aprueba el acta anterior.`),
    paragraph(
      `Se acuerda renovar el mobiliario y cambiar el horario de verano. Próxima reunión el ${recently(r)}.`,
    ),
  ],
});

export const holidayCalendar: Template = (r) => ({
  title: 'Public holidays',
  blocks: [
    table(
      ['Day', 'Holiday', 'Site'],
      Array.from({ length: 8 }, () => [
        recently(r),
        r.pick(['New Year', 'Labour Day', 'Whit Monday', 'Christmas']),
        r.pick(['Bremen', 'Leeds', 'Lyon']),
      ]),
    ),
  ],
});
