import { expect, test } from 'vitest';
import { nodeProblem } from '../../../core/kernel/needed-node.ts';

test.each(['22.14.0', '22.21.1', '23.0.0', '24.21.0', process.versions.node])(
  'Node %s will do',
  (version) => {
    expect(nodeProblem(version)).toBeNull();
  },
);

test.each(['22.13.9', '22.2.0', '20.20.2', '18.0.0', '9.99.99'])('Node %s is told as too old', (version) => {
  expect(nodeProblem(version)).toContain(`It was started with Node ${version}.`);
});
