import { checkConformance, transportCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { httpHarness } from "../test/transport-harness.ts";

describe("createAgentRouter as a transport", () => {
  checkConformance(it, transportCases, { create: () => httpHarness });
});
