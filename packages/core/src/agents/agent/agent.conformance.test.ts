import { describe, it } from "vitest";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { runnableCases } from "../../testing/conformance/runnable-cases.ts";
import { Agent } from "./agent.ts";

describe("an agent", () => {
  checkConformance(it, runnableCases, {
    create: () => ({ runnable: (model) => new Agent({ name: "helper", model }) }),
  });
});
