import { checkInterleavings } from "@troupe-internal/interleavings";
import { it } from "vitest";
import { TaskCrowd } from "../../test/task-crowd.ts";

it.each([
  ["that begins", false],
  ["that has asked twice", true],
])(
  "each client of a task %s has its whole answer and its end once, and one that has left has nothing any more, in any order [async.interleavings]",
  async (_which, hasAsked) => {
    await checkInterleavings(async (held) => await new TaskCrowd(held).serve({ hasAsked }), {
      seed: hasAsked ? 38_306 : 38_305,
      numRuns: 13,
      maxSteps: 50,
      stepMs: 30,
      quietMs: 7500,
    });
  },
);
