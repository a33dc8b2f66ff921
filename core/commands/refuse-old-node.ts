import { nodeProblem } from '../kernel/needed-node.ts';

/**
 * The first import of each command: modules are evaluated in the order of their imports, so an old Node ends here,
 * before it comes to what it lacks.
 */
const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}
